import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Follower } from './follow.ts';
import { DOWN, Icon, IconButton, SEND, STOP } from './Icon.tsx';

/** As high as what is written. */
function grow(element: HTMLElement | null): void {
  if (!element) return;
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight}px`;
}

// Key code 229: Safari ends a composition before the Enter that ended it.
const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

export function Composer({ chat, follower }: { chat: Chat; follower: Follower }): VNode {
  const words = chat.words.value;
  const draft = chat.draft.value;
  const isEmpty = !draft.trim();
  let field: HTMLElement | null;
  const send = (event: Event): void => {
    event.preventDefault();
    chat.send();
    field?.focus();
  };
  return (
    <form onSubmit={send}>
      {!follower.isAtEnd.value && <IconButton look="latest" d={DOWN} label={words.latest} onClick={follower.show} />}
      <textarea
        // Another function each time, so that it is called after each change.
        ref={(element) => grow((field = element))}
        rows={1}
        // An empty field goes by its placeholder's language.
        dir={draft ? 'auto' : undefined}
        enterkeyhint="send"
        aria-label={words.field}
        placeholder={words.field}
        value={draft}
        onInput={({ currentTarget }) => chat.write(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !isComposing(event)) send(event);
        }}
      />
      {isEmpty && chat.isBusy.value ? (
        <IconButton look="send" d={STOP} label={words.stop} onClick={chat.stop} />
      ) : (
        <button class="send" type="submit" title={words.send} disabled={isEmpty}>
          <Icon d={SEND} />
        </button>
      )}
    </form>
  );
}
