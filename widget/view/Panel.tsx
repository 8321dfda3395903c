import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { directionOf } from '../speech.ts';
import { Announcer } from './Announcer.tsx';
import { Consent } from './Consent.tsx';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import type { Follower } from './follow.ts';
import { ANEW, CLOSE, IconButton } from './Icon.tsx';
import { tend } from './tend.ts';

export interface PanelProps {
  chat: Chat;
  follower: Follower;
  isInline: boolean;
}

/** What the page is drawn in, `light`, `dark` or both; '' where it does not say. */
function pageScheme(): string {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === 'normal' ? '' : colorScheme;
}

/** Drawn while the chat is open and has its words. */
export class Panel extends Component<PanelProps> {
  private leave: (() => void) | undefined;

  private readonly attach = (panel: HTMLElement | null): void => {
    const { chat, isInline } = this.props;
    this.leave?.();
    this.leave = undefined;
    if (!panel) return;
    panel.style.setProperty('--scheme', pageScheme());
    // The field has the reader's next words.
    if (!isInline && !chat.isQuiet.peek()) panel.querySelector('textarea')?.focus();
    this.leave = tend(panel, chat, isInline);
  };

  override render({ chat, follower, isInline }: PanelProps): VNode | null {
    const words = chat.words.value;
    const { name = words.title, avatar } = chat.face.value ?? {};
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      if (!isInline) chat.close();
    };
    const language = chat.language.value;
    if (!chat.isOpen.value || !language) return null;
    return (
      <section
        role={isInline ? 'region' : 'dialog'}
        aria-label={name}
        lang={language}
        dir={directionOf(language)}
        ref={this.attach}
        onKeyDown={escape}
      >
        <header>
          <span class="avatar" aria-hidden="true">
            {avatar ? <img src={avatar} alt="" /> : [...name][0]}
          </span>
          <h2>{name}</h2>
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
