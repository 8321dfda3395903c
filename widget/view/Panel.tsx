import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { Announcer } from './Announcer.tsx';
import { Consent } from './Consent.tsx';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { createFollower } from './follow.ts';
import { ANEW, CLOSE, IconButton } from './Icon.tsx';
import { Teaser } from './Teaser.tsx';
import { tend } from './tend.ts';

export interface PanelProps {
  chat: Chat;
  isInline?: boolean | undefined;
}

/** What the page is drawn in, `light`, `dark` or both; '' where it does not say. */
function pageScheme(): string {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === 'normal' ? '' : colorScheme;
}

/** Drawn while the chat is open and has its words. */
export class Panel extends Component<PanelProps> {
  private readonly follower = createFollower();
  private leave: (() => void) | undefined;

  private readonly attach = (panel: HTMLElement | null): void => {
    const { chat, isInline } = this.props;
    this.leave?.();
    this.leave = undefined;
    if (!panel) return;
    panel.style.setProperty('--scheme', pageScheme());
    // The field has the reader's next words.
    if (!isInline && chat.isOpen.peek() !== 'quietly') panel.querySelector('textarea')?.focus();
    this.leave = tend(panel, chat, isInline);
  };

  override render({ chat, isInline }: PanelProps): VNode | null {
    const { follower } = this;
    const words = chat.words.value;
    const { title, name, avatar } = chat.face.value;
    const called = title || name || words.title;
    const speech = chat.speech.value;
    if (!chat.isOpen.value) return <Teaser chat={chat} />;
    if (!speech) return null;
    return (
      <section
        role={isInline ? 'region' : 'dialog'}
        aria-label={called}
        lang={speech.lang}
        dir={speech.dir}
        ref={this.attach}
      >
        <header>
          {avatar ? (
            <img class="avatar" src={avatar} alt="" />
          ) : (
            <span class="avatar" aria-hidden="true">
              {[...called][0]}
            </span>
          )}
          <h2>{called}</h2>
          {chat.turns.value[0] && <IconButton d={ANEW} label={words.anew} onClick={chat.startAnew} />}
          {!isInline && <IconButton d={CLOSE} label={words.close} onClick={chat.close} />}
        </header>
        <Conversation chat={chat} follower={follower} />
        {chat.consent.value ? <Consent chat={chat} /> : <Composer chat={chat} follower={follower} />}
        <Announcer chat={chat} />
      </section>
    );
  }
}
