import { Component, type ComponentChildren } from 'preact';
import type { Chat } from '../chat.ts';
import type { Turn } from '../turn.ts';
import { titleOf } from '../citations.ts';
import { fill } from '../words/en.ts';
import { Card } from './Card.tsx';

interface CiteProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** A marker in the text: a button as soon as it is known what it cites, and under it the card that it opens. */
export class Cite extends Component<CiteProps> {
  private button: HTMLElement | undefined;

  override render({ chat, turn, marker }: CiteProps): ComponentChildren {
    const citation = turn.citations.value[marker];
    if (!citation) return <span class="marker">{marker}</span>;
    const isOpen = chat.card.value === this;
    const words = chat.words.value;
    const label = fill(words.source, { marker, title: titleOf(citation) });
    const close = (): void => {
      chat.hideCitation();
      this.button?.focus();
    };
    return [
      <button
        class="marker"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={({ currentTarget }) => {
          this.button = currentTarget;
          if (isOpen) close();
          else chat.showCitation(turn, marker, this);
        }}
      >
        {marker}
      </button>,
      isOpen && <Card words={words} citation={citation} marker={marker} label={label} onClose={close} />,
    ];
  }
}
