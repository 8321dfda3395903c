import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { ARROW, IconButton, STOP } from './Icon.tsx';

/** Fits the field's height to its text. */
function grow(element: HTMLElement | null): void {
  if (!element) return;
  element.style.height = '';
  element.style.height = `${element.scrollHeight}px`;
}

/** keyCode of keys handled by an input method; Safari reports the Enter that ends a composition with it, and isComposing false. */
const COMPOSING = 229;

/** Characters that the server takes of a question. */
const MAX_QUERY = 8000;

export function Composer({ chat }: { chat: Chat }): VNode {
  const words = chat.words.value;
  const draft = chat.draft.value;
  let field: HTMLTextAreaElement | null;
  const send = (event: Event): void => {
    event.preventDefault();
    chat.send();
    field?.focus();
  };
  return (
    <form onSubmit={send}>
      <textarea
        // A new function per render, so that the ref is called after each change.
        ref={(element) => grow((field = element))}
        rows={1}
        maxlength={MAX_QUERY}
        enterkeyhint="send"
        aria-label={words.field}
        placeholder={words.field}
        value={draft}
        onInput={() => chat.write(field!.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && event.keyCode !== COMPOSING) send(event);
        }}
      />
      {!draft.trim() && chat.isBusy.value ? (
        <IconButton class="send" d={STOP} title={words.stop} onClick={chat.stop} />
      ) : (
        <IconButton class="send" type="submit" d={ARROW} title={words.send} />
      )}
    </form>
  );
}
