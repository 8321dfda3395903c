import { Component, type VNode } from 'preact';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { elements } from './elements.ts';
import { IconButton, LIST, PLUS } from './Icon.tsx';
import { Notice } from './Note.tsx';
import { bindPanel, type PanelProps } from './behaviour.ts';

/** The panel, while the chat is open and its locale loaded. */
export class Panel extends Component<PanelProps> {
  // A ref that returns a function has that called at the end, in place of itself with null.
  private readonly attach = (panel: HTMLElement | null): (() => void) => bindPanel(panel!, this.props);

  override render({ chat, isInline }: PanelProps): VNode | null {
    const words = chat.words.value;
    const { title, name, avatar, site, by_ai } = chat.profile.value;
    const heading = title || name || words.title;
    const locale = chat.locale.value;
    const consent = chat.consent.value;
    const hasTurns = !!chat.turns.value[0];
    const { session, past } = chat.storage.read();
    if (!chat.isOpen.value || !locale) return null;
    return (
      <section
        role={isInline ? 'region' : 'dialog'}
        aria-label={heading}
        lang={locale.lang}
        dir={locale.dir}
        ref={this.attach}
      >
        <header>
          {avatar ? (
            <img class="avatar" src={avatar} alt="" />
          ) : (
            <span class="avatar" aria-hidden="true">
              {[...heading][0]}
            </span>
          )}
          <h2>
            {heading}
            {site && <small class="note">{(by_ai ? words.byAi : words.site).replace('{site}', site)}</small>}
          </h2>
          {(session || past?.[0]) && (
            <IconButton
              d={LIST}
              title={words.conversations}
              onClick={({ currentTarget: button }) =>
                void import('./conversations/conversations.ts').then(
                  (list) => list.show(button, chat, elements),
                  chat.report,
                )
              }
            />
          )}
          {hasTurns && <IconButton d={PLUS} title={words.anew} onClick={chat.startOver} />}
          {!isInline && <IconButton d={PLUS} turn="45deg" title={words.close} onClick={chat.close} />}
        </header>
        <Conversation chat={chat} />
        {consent ? (
          <Notice kind="consent" text={consent} title={consent} onClick={chat.agree}>
            {words.agree}
          </Notice>
        ) : (
          <Composer chat={chat} />
        )}
        <div class="unseen" aria-live="polite" />
      </section>
    );
  }
}
