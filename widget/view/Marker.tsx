import { Component, type VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { linkCitation } from '../browser/citations.ts';
import type { Turn } from '../chat/turn.ts';
import { scrollIntoLog } from './scroll.ts';
import { Source } from './Source.tsx';

export interface MarkerProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** How long the pointer or the focus rests before it opens a card, or is away before it closes one, in ms. */
const REST_MS = 300;

/**
 * A marker in the text: a button as soon as it is known what it cites, and under it the card that it opens: by a click or Enter
 * with the focus in it, or at a glance while the pointer or the focus is there.
 */
export class Marker extends Component<MarkerProps> {
  private card: HTMLElement | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  private get hasFocus(): boolean | undefined {
    return this.card?.contains((this.card.getRootNode() as ShadowRoot).activeElement);
  }

  private show(isWanted: boolean | undefined): void {
    const { chat, turn, marker } = this.props;
    if (!isWanted === !this.card) return;
    if (isWanted) chat.setCard(this, { marker, citation: turn.citations.peek()[marker]! });
    else chat.setCard();
  }

  /** The pointer or the focus has come, or gone; from the marker to its card the focus goes and comes. */
  private readonly onRest = ({ type }: Event): void => {
    clearTimeout(this.timer);
    // What the focus has left is in nobody's way: Escape is for the panel then.
    const rest = type === 'focusout' ? 0 : REST_MS;
    this.timer = setTimeout(() => this.show(/in|enter/.test(type) || this.hasFocus), rest);
  };

  private readonly toggle = (): void => {
    this.show(!this.hasFocus);
    // Once it is drawn.
    this.setState({}, () => this.card?.focus());
  };

  private readonly mount = (card: HTMLElement | null): void => {
    if (!card && this.hasFocus) (this.card!.previousSibling as HTMLElement).focus();
    // The focus that comes back opens nothing.
    clearTimeout(this.timer);
    this.card = card;
    scrollIntoLog(card);
  };

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
    this.show(false);
  }

  override render({ chat, turn, marker }: MarkerProps): VNode {
    const citation = turn.citations.value[marker];
    if (!citation) return <span class="marker">{marker}</span>;
    const isOpen = chat.card.value === this;
    const words = chat.words.value;
    const label = `${words.source} ${marker}: ${linkCitation(citation).title}`;
    return (
      <span onMouseEnter={this.onRest} onMouseLeave={this.onRest} onFocusIn={this.onRest} onFocusOut={this.onRest}>
        <button
          class="marker"
          aria-expanded={isOpen}
          aria-label={label}
          onMouseDown={(event) => event.preventDefault()}
          onClick={this.toggle}
        >
          {marker}
        </button>
        {isOpen && (
          <div class="card" role="dialog" aria-label={label} tabIndex={-1} ref={this.mount}>
            <Source words={words} citation={citation} markers={[marker]} />
            <blockquote dir="auto">{citation.text}</blockquote>
          </div>
        )}
      </span>
    );
  }
}
