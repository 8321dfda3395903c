import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { titleOf } from '../citations.ts';
import type { Turn } from '../turn.ts';
import { Card } from './Card.tsx';

export interface MarkerProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** How long a pointer rests before it opens a card, or is away before it closes one, in ms. */
const REST_MS = 300;

/**
 * A marker in the text: a button as soon as it is known what it cites, and under it the card that it opens: by a click or Enter to be read at length, with the focus in it, or
 * at a glance while the pointer or the focus is there. Escape closes it, wherever the focus is.
 */
export class Marker extends Component<MarkerProps> {
  private button: HTMLElement | null = null;
  private card: HTMLElement | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isPinned = false;
  private isReturning = false;

  private get isOpen(): boolean {
    return this.props.chat.card.peek() === this;
  }

  private readonly open = (): void => {
    const { chat, turn, marker } = this.props;
    if (!this.isOpen) chat.showCitation(turn, marker, this);
  };

  private readonly close = (): void => {
    clearTimeout(this.timer);
    if (!this.isOpen) return;
    const hadFocus = this.card?.contains((this.card.getRootNode() as ShadowRoot).activeElement);
    this.props.chat.hideCitation();
    // The focus that comes back opens nothing.
    this.isReturning = true;
    if (hadFocus) this.button?.focus();
    this.isReturning = false;
  };

  private readonly toggle = (): void => {
    if (this.isOpen && this.isPinned) return this.close();
    this.isPinned = true;
    this.open();
    this.card?.focus();
  };

  private readonly mount = (card: HTMLElement | null): void => {
    this.card = card;
    if (card) addEventListener('keydown', this.escape, true);
    else removeEventListener('keydown', this.escape, true);
    card?.scrollIntoView({ block: 'nearest' });
    if (this.isPinned) card?.focus();
    if (!card) this.isPinned = false;
  };

  private readonly escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    this.close();
  };

  private readonly glance = ({ type, pointerType }: PointerEvent): void => {
    clearTimeout(this.timer);
    if (pointerType !== 'mouse') return;
    const isHere = type === 'pointerenter';
    this.timer = setTimeout(() => (isHere ? this.open() : !this.isPinned && this.close()), REST_MS);
  };

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  override render({ chat, turn, marker }: MarkerProps): VNode {
    const citation = turn.citations.value[marker];
    if (!citation) return <span class="marker">{marker}</span>;
    const isOpen = chat.card.value === this;
    const words = chat.words.value;
    const label = `${words.source} ${marker}: ${titleOf(citation)}`;
    return (
      <span
        onPointerEnter={this.glance}
        onPointerLeave={this.glance}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!this.isPinned && !currentTarget.contains(relatedTarget as Element)) this.close();
        }}
      >
        <button
          class="marker"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-label={label}
          ref={(element) => void (this.button = element)}
          onFocus={({ currentTarget }) => {
            if (!this.isReturning && currentTarget.matches(':focus-visible')) this.open();
          }}
          onClick={this.toggle}
        >
          {marker}
        </button>
        {isOpen && (
          <Card
            words={words}
            citation={citation}
            marker={marker}
            label={label}
            onMount={this.mount}
            onClose={this.close}
          />
        )}
      </span>
    );
  }
}
