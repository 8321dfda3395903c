import { Component, type VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Turn } from '../turn.ts';
import { ARROW, COPY, IconButton, RETRY, THUMB } from './Icon.tsx';
import { copyText, withSources } from '../copy.ts';

interface ActionsProps {
  chat: Chat;
  turn: Turn;
}

interface Said {
  /** What the last of them came to. */
  said: string;
  /** The visitor may say why. */
  isAsked?: boolean;
}

/** What can be done with a finished answer. */
export class Actions extends Component<ActionsProps, Said> {
  override state: Said = { said: '' };

  private row: HTMLElement | null = null;

  private rate(rating: 1 | -1, comment?: string): void {
    const { chat, turn } = this.props;
    const before = turn.feedback.peek();
    chat.rate(turn, { rating, comment: comment || (rating === before.rating ? before.comment : undefined) });
    this.setState({ said: comment ? chat.words.peek().thanks : '', isAsked: !comment });
  }

  private readonly send = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    event.preventDefault();
    this.rate(this.props.turn.feedback.peek().rating!, form.querySelector('textarea')!.value.trim());
    // The form is about to go, and with it the focus.
    this.row?.querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
  };

  override render({ chat, turn }: ActionsProps, { said, isAsked }: Said): VNode {
    const words = chat.words.value;
    const { rating, isLost } = turn.feedback.value;
    const copy = async (): Promise<void> => {
      const isCopied = await copyText(withSources(turn, words), this.row!);
      this.setState({ said: isCopied ? words.copied : words.uncopied });
    };
    return (
      <div class="actions" ref={(row) => void (this.row = row)}>
        <div class="top">
          <IconButton d={COPY} label={words.copyAnswer} onClick={copy} />
          <IconButton d={RETRY} label={words.retry} onClick={() => chat.ask(turn.query)} />
          <IconButton d={THUMB} label={words.helpful} aria-pressed={rating === 1} onClick={() => this.rate(1)} />
          <IconButton
            d={THUMB}
            turn="180deg"
            label={words.unhelpful}
            aria-pressed={rating === -1}
            onClick={() => this.rate(-1)}
          />
          <p class="note" role="status">
            {isLost ? words.unsent : said}
          </p>
        </div>
        {isAsked && !isLost && (
          <form onSubmit={this.send}>
            <textarea rows={2} maxLength={2000} aria-label={words.comment} placeholder={words.comment} />
            <IconButton class="send" type="submit" d={ARROW} label={words.send} />
          </form>
        )}
      </div>
    );
  }
}
