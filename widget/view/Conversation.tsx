import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Follower } from './follow.ts';
import { Retry } from './Icon.tsx';
import { TurnView } from './Turn.tsx';

function Welcome({ chat }: { chat: Chat }): VNode {
  const words = chat.words.value;
  const { greeting, suggestions = [] } = chat.face.value ?? {};
  return (
    <div class="welcome">
      <p class="greeting">{greeting || words.greeting}</p>
      {suggestions[0] && (
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

function History({ chat }: { chat: Chat }): VNode | null {
  const words = chat.words.value;
  const history = chat.history.value;
  if (history !== 'loading' && history !== 'failed') return null;
  return (
    <div class="note">
      <p>{history === 'loading' ? words.restoring : words.failed}</p>
      {history === 'failed' && <Retry label={words.retry} onClick={() => void chat.restore()} />}
    </div>
  );
}

export function Conversation({ chat, follower }: { chat: Chat; follower: Follower }): VNode {
  const words = chat.words.value;
  const turns = chat.turns.value;
  return (
    <div
      class="log"
      role="log"
      aria-live="off"
      aria-label={words.conversation}
      tabIndex={0}
      ref={follower.watch}
      onScroll={follower.look}
    >
      <div class="content">
        {!turns[0] && chat.history.value !== 'loading' && <Welcome chat={chat} />}
        <History chat={chat} />
        {turns.map((turn) => (
          <TurnView key={turn.key} chat={chat} turn={turn} onMount={follower.toEnd} />
        ))}
      </div>
    </div>
  );
}
