import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { ARROW, Icon, IconButton } from './Icon.tsx';
import { Note, OwnerLink } from './Note.tsx';
import { styleAnswers, TurnView } from './Turn.tsx';

function Welcome({ chat }: { chat: Chat }): VNode {
  const words = chat.words.value;
  const { greeting, suggestions = [], disclaimer, privacy_url: privacy } = chat.profile.value;
  return (
    <div class="welcome" ref={styleAnswers}>
      <h3>{greeting || words.greeting}</h3>
      {suggestions[0] && (
        <div class="suggestions" role="group" aria-label={words.suggestions}>
          {suggestions.map((suggestion) => (
            <button class="chip" disabled={!!chat.consent.value} onClick={() => chat.ask(suggestion)}>
              {suggestion}
              <Icon d={ARROW} />
            </button>
          ))}
        </div>
      )}
      <p class="note">
        {disclaimer || words.disclaimer} <OwnerLink address={privacy} words={words.privacy} />
      </p>
    </div>
  );
}

export function Conversation({ chat }: { chat: Chat }): VNode {
  const words = chat.words.value;
  const turns = chat.turns.value;
  const history = chat.history.value;
  return (
    <div class="log" role="log" aria-live="off" aria-label={words.conversation} tabIndex={0}>
      <div class={turns[0] ? 'content' : 'content first'}>
        {!turns[0] && history !== 'loading' && <Welcome chat={chat} />}
        <Note chat={chat} status={{ is: history }} onRetry={chat.restore} />
        {turns.map((turn) => (
          <TurnView key={turn.id} chat={chat} turn={turn} />
        ))}
      </div>
      <IconButton class="latest" d={ARROW} turn="180deg" title={words.latest} hidden />
    </div>
  );
}
