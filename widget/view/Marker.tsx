import { Component, type VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';
import { elements } from './elements.ts';
import { scrollIntoLog } from './scroll.ts';

type SourcesModule = typeof import('./sources/sources.ts');
let loaded: SourcesModule | undefined;
export const loadSources = (): Promise<SourcesModule> =>
  import('./sources/sources.ts').then((sources) => (loaded = sources));

interface MarkerProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** Delay before the card opens under a resting pointer or focus, and closes after it has left: a button below it has been pressed by then. */
const REST_MS = 300;

/**
 * A citation marker: plain text until its citation is known, then a button with a card. Click or Enter opens the card and moves the
 * focus into it; hover or focus shows it for as long as they last.
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

  /** Handles enter, leave, focusin and focusout of marker and card together; moving from one to the other fires both. */
  private readonly onRest = ({ type }: Event): void => {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(/in|enter/.test(type) || this.hasFocus), REST_MS);
  };

  private readonly toggle = (): void => {
    this.show(!this.hasFocus);
    // The callback runs after the card is rendered.
    this.setState({}, () => {
      this.card?.focus();
      // With the focus it stands in the text.
      scrollIntoLog(this.card);
    });
  };

  private readonly mount = (card: HTMLElement | null): void => {
    if (!card && this.hasFocus) (this.card!.previousSibling as HTMLElement).focus();
    // The focus() above fires focusin, which must not open the card again.
    clearTimeout(this.timer);
    this.card = card;
    scrollIntoLog(card);
    const { chat, turn, marker } = this.props;
    const fill = ({ createSource }: SourcesModule): void => {
      card!.append(createSource(turn.citations.peek()[marker]!, chat, elements));
      scrollIntoLog(card);
    };
    // At once where it can: a card that grows after its first frame moves the text below it.
    if (card && loaded) fill(loaded);
    else if (card) loadSources().then(fill, chat.report);
  };

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
    this.show(false);
  }

  override render({ chat, turn, marker }: MarkerProps): VNode {
    const citation = turn.citations.value[marker];
    if (!citation)
      return (
        <sup>
          <span class="marker">{marker}</span>
        </sup>
      );
    const isOpen = chat.card.value === this;
    const label = `${chat.words.value.source} ${marker}: ${citation.title || citation.file_name}`;
    return (
      <sup onMouseEnter={this.onRest} onMouseLeave={this.onRest} onFocusIn={this.onRest} onFocusOut={this.onRest}>
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
            <blockquote dir="auto" tabIndex={0}>
              {citation.text}
            </blockquote>
          </div>
        )}
      </sup>
    );
  }
}
