import type { RefObject, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useRoom } from './context.ts';
import { Icon, IconButton } from './Icon.tsx';

/** Grows with what is written. */
function useGrowth(field: RefObject<HTMLTextAreaElement | null>, draft: string): void {
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [draft]);
}

// Key code 229: Safari ends a composition before the Enter that ended it.
const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

export function Composer({ field }: { field: RefObject<HTMLTextAreaElement | null> }): VNode {
  const { chat, words } = useRoom();
  const draft = chat.draft.value;
  const isBusy = chat.isBusy.value;
  useGrowth(field, draft);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    chat.send();
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    chat.send();
    field.current?.focus();
  };
  return (
    <form class="composer" onSubmit={onSubmit}>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        enterkeyhint="send"
        aria-label={words.field}
        placeholder={words.placeholder}
        value={draft}
        onInput={({ currentTarget }) => chat.write(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy && !draft.trim() ? (
        <IconButton look="send" icon="stop" label={words.stop} onClick={() => chat.stop()} />
      ) : (
        <button class="send" type="submit" title={words.send} disabled={!draft.trim()}>
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}
