import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { titleOf } from '../citations.ts';
import { extras } from '../extras.ts';
import type { Turn } from '../turn.ts';
import { fill } from '../words/en.ts';

interface CiteProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** A marker in the text: a button as soon as it is known what it cites. What it opens is loaded when somebody comes near it. */
export class Cite extends Component<CiteProps> {
  private wanted: 'focus' | 'card' | undefined;

  override render({ chat, turn, marker }: CiteProps): VNode {
    const citation = turn.citations.value[marker];
    const { Marker } = extras.value ?? {};
    if (!citation) return <span class="marker">{marker}</span>;
    const label = fill(chat.words.value.source, { marker, title: titleOf(citation) });
    if (Marker) return <Marker {...{ chat, turn, marker, citation, label }} wanted={this.wanted} />;
    const near = (wanted?: 'focus' | 'card') => (): void => {
      this.wanted = wanted ?? this.wanted;
      chat.loadMore();
    };
    return (
      <button
        class="marker"
        aria-haspopup="dialog"
        aria-label={label}
        onPointerEnter={near()}
        onFocus={near('focus')}
        onClick={near('card')}
      >
        {marker}
      </button>
    );
  }
}
