import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useRoom } from './context.ts';
import { IconButton, Retry } from './Icon.tsx';
import { TurnView } from './Turn.tsx';

function Welcome(): VNode {
  const { chat, words } = useRoom();
  const face = chat.face.value;
  const suggestions = face?.suggestions ?? [];
  return (
    <div class="welcome">
      <p class="greeting">{face?.greeting || words.greeting}</p>
      {suggestions.length > 0 && (
        <div class="suggestions" role="group" aria-label={words.suggestions}>
          {suggestions.map((suggestion) => (
            <button type="button" onClick={() => chat.ask(suggestion)}>
              {suggestion}
            </button>
          ))}
        </div>
      )}
      <p class="disclaimer">{words.disclaimer}</p>
    </div>
  );
}

function History(): VNode | null {
  const { chat, words } = useRoom();
  if (chat.history.value === 'loading') return <p class="note">{words.restoring}</p>;
  if (chat.history.value !== 'failed') return null;
  return (
    <div class="note">
      <p>{words.failed}</p>
      <Retry label={words.retry} onClick={() => void chat.restore()} />
    </div>
  );
}

/** How far from the end a reader still counts as being there, in px. */
const NEAR_END = 48;

export function Conversation(): VNode {
  const { chat, words } = useRoom();
  const log = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useSignal(true);
  const turns = chat.turns.value;
  const isOpen = chat.isOpen.value;

  const toEnd = (): void => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
    isAtEnd.value = true;
  };
  const look = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = log.current!;
    isAtEnd.value = scrollHeight - scrollTop - clientHeight < NEAR_END;
  };

  // The text follows its own growth only while the reader is at the end.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isAtEnd.peek()) toEnd();
    });
    observer.observe(content.current!);
    observer.observe(log.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(toEnd, [turns.length, isOpen]);

  const isEmpty = turns.length === 0 && chat.history.value !== 'loading';
  return (
    <div class="middle">
      <div
        class="log"
        role="log"
        aria-live="off"
        aria-label={words.conversation}
        tabIndex={0}
        ref={log}
        onScroll={look}
      >
        <div class="content" ref={content}>
          {isEmpty && <Welcome />}
          <History />
          {turns.map((turn) => (
            <TurnView key={turn.key} turn={turn} />
          ))}
        </div>
      </div>
      {!isAtEnd.value && <IconButton look="latest" icon="down" label={words.latest} onClick={toEnd} />}
    </div>
  );
}
