import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Turn } from '../turn.ts';
import { Around, Markdown, type Surroundings } from '../markdown/Markdown.tsx';
import { fill } from '../words/en.ts';
import { Card, titleOf } from './Card.tsx';
import { useRoom } from './context.ts';
import { Note } from './Note.tsx';
import { Sources } from './Sources.tsx';

interface CiteProps {
  turn: Turn;
  marker: string;
  onShow: (button: HTMLElement) => void;
}

/** A marker in the text: a button as soon as it is known what it cites. */
function Cite({ turn, marker, onShow }: CiteProps): VNode {
  const { chat, words } = useRoom();
  const citation = turn.citations.value[marker];
  const isOpen = chat.card.value?.turn === turn && chat.card.value.marker === marker;
  if (!citation) return <span class="marker">{marker}</span>;
  return (
    <button
      class="marker"
      type="button"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-label={fill(words.source, { marker, title: titleOf(citation) })}
      onClick={({ currentTarget }) => {
        onShow(currentTarget);
        if (isOpen) chat.hideCitation();
        else chat.showCitation(turn, marker);
      }}
    >
      {marker}
    </button>
  );
}

function Waiting(): VNode {
  const { words } = useRoom();
  return (
    <p class="waiting">
      <span class="unseen">{words.waiting}</span>
      <i />
      <i />
      <i />
    </p>
  );
}

function Answer({ turn }: { turn: Turn }): VNode {
  const { chat, words } = useRoom();
  const { is } = turn.status.value;
  const from = useRef<HTMLElement | null>(null);
  const surroundings = useMemo<Surroundings>(
    () => ({
      marker: (marker) => <Cite turn={turn} marker={marker} onShow={(button) => (from.current = button)} />,
      code: words.code,
      table: words.table,
    }),
    [turn, words.code, words.table],
  );
  const open = chat.card.value?.turn === turn ? chat.card.value.marker : undefined;
  return (
    <div class={`answer ${is}`} role="group" aria-label={words.answer}>
      <Around.Provider value={surroundings}>
        <div class="text">
          <Markdown text={turn.text} isWhole={is === 'done' || is === 'failed'} />
        </div>
      </Around.Provider>
      {(is === 'waiting' || is === 'reconnecting') && <Waiting />}
      {open !== undefined && <Card key={open} turn={turn} marker={open} from={from} />}
      <Note turn={turn} />
      {is === 'done' && <Sources turn={turn} />}
    </div>
  );
}

export function TurnView({ turn }: { turn: Turn }): VNode {
  const { words } = useRoom();
  return (
    <div class="turn">
      <div class="question" role="group" aria-label={words.you}>
        {turn.query}
      </div>
      <Answer turn={turn} />
    </div>
  );
}
