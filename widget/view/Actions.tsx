import { Component, type TargetedMouseEvent, type VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Feedback } from '../client/client.ts';
import type { Turn } from '../chat/turn.ts';
import { ARROW, COPY, IconButton, RETRY, THUMB } from './Icon.tsx';
import { copyText, textWithSources } from '../browser/clipboard.ts';

interface ActionsProps {
  chat: Chat;
  turn: Turn;
}

/** Buttons under a finished answer; the state is the outcome of copying. */
export class Actions extends Component<ActionsProps, { copied?: string }> {
  override render({ chat, turn }: ActionsProps, { copied }: { copied?: string }): VNode {
    const words = chat.words.value;
    const { rating, comment, isLost } = turn.feedback.value;
    let field: HTMLTextAreaElement | null;
    const copy = async ({ currentTarget }: TargetedMouseEvent<HTMLElement>): Promise<void> => {
      const isCopied = await copyText(textWithSources(turn), currentTarget);
      this.setState({ copied: isCopied ? words.copied : words.uncopied });
    };
    const rate = (rating: Feedback['rating']): void => {
      chat.rate(turn, { rating, comment: field?.value.trim() });
      this.setState({ copied: '' });
    };
    return (
      <div class="actions">
        <div class="top">
          <IconButton d={COPY} title={words.copyAnswer} onClick={copy} />
          <IconButton d={RETRY} title={words.retry} onClick={() => chat.ask(turn.query)} />
          <IconButton d={THUMB} title={words.helpful} aria-pressed={rating === 1} onClick={() => rate(1)} />
          <IconButton
            d={THUMB}
            turn="180deg"
            title={words.unhelpful}
            aria-pressed={rating === -1}
            onClick={() => rate(-1)}
          />
          <p class="note" role="status">
            {copied || (isLost ? words.unsent : comment && words.thanks)}
          </p>
        </div>
        {rating && (
          <form>
            <textarea
              ref={(element) => void (field = element)}
              maxLength={2000}
              aria-label={words.comment}
              placeholder={words.comment}
              defaultValue={comment}
            />
            <IconButton class="send" d={ARROW} title={words.send} onClick={() => rate(rating)} />
          </form>
        )}
      </div>
    );
  }
}
