import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { directionOf } from '../speech.ts';
import { Announcer } from './Announcer.tsx';
import { Consent } from './Consent.tsx';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { fit, isFull, pageScheme } from './fit.ts';
import type { Follower } from './follow.ts';
import { ANEW, CLOSE, IconButton } from './Icon.tsx';

export interface PanelProps {
  chat: Chat;
  follower: Follower;
  isInline: boolean;
}

/** Drawn while the chat is open and has its words. */
export class Panel extends Component<PanelProps> {
  private leave: (() => void) | undefined;

  private readonly attach = (panel: HTMLElement | null): void => {
    this.leave?.();
    this.leave = panel ? fit(panel) : undefined;
    panel?.style.setProperty('--scheme', pageScheme());
    // The field has the reader's next words.
    if (!this.props.isInline && !this.props.chat.isQuiet.peek()) panel?.querySelector('textarea')?.focus();
  };

  /** Where what was pressed has gone, the focus stays in the chat. */
  private readonly keepFocus = ({ currentTarget }: Event): void => {
    const panel = currentTarget as HTMLElement;
    setTimeout(() => {
      if (!(panel.getRootNode() as ShadowRoot).activeElement) panel.querySelector<HTMLElement>('.log')?.focus();
    });
  };

  override render({ chat, follower, isInline }: PanelProps): VNode | null {
    const words = chat.words.value;
    const { name = words.title, avatar } = chat.face.value ?? {};
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      if (!isInline) chat.close();
    };
    // A panel that fills the window covers what the focus would go to: it goes with it.
    const leave = ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (relatedTarget && isModal && !(currentTarget as Element).contains(relatedTarget as Element)) chat.close();
    };
    const language = chat.language.value;
    if (!chat.isOpen.value || !language) return null;
    const isModal = !isInline && isFull();
    return (
      <section
        role={isInline ? 'region' : 'dialog'}
        aria-label={name}
        lang={language}
        dir={directionOf(language)}
        aria-modal={isModal || undefined}
        ref={this.attach}
        onKeyDown={escape}
        onClick={this.keepFocus}
        onFocusOut={leave}
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
