import { Component, type VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { hasEnded } from '../chat/status.ts';
import type { Turn } from '../chat/turn.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { elements, type Part } from './elements.ts';
import { showTurn } from './scroll.ts';
import { loadSources, Marker } from './Marker.tsx';
import { Note } from './Note.tsx';

interface TurnProps {
  chat: Chat;
  turn: Turn;
}

const loadAfterAnswer = (): Promise<typeof import('./after-answer/after-answer.ts')> =>
  import('./after-answer/after-answer.ts');

/** A ref: what an answer looks like is loaded while the first one is awaited. A failure is reported once its buttons are. */
export const styleAnswers = (place: HTMLElement | null): void =>
  void (place && loadAfterAnswer().then((parts) => parts.styleAnswers(place), Boolean));

/** A question and its answer; where something of the answer cannot be drawn, its plain text and a way on. */
export class TurnView extends Component<TurnProps> {
  override componentDidCatch(fault: unknown): void {
    const { chat, turn } = this.props;
    chat.fail(turn, fault);
  }

  override render({ chat, turn }: TurnProps): VNode {
    const words = chat.words.value;
    const status = turn.status.value;
    const isBroken = status.reason === 'bad_answer';
    const isOver = !isBroken && hasEnded(status);
    /** A ref for an empty element, which the part of a file that is loaded then fills once. */
    const fill =
      (load: () => Promise<{ show: Part }>) =>
      (place: HTMLElement | null): void =>
        void load()
          .then(({ show }) => place && !place.firstChild && show(place, chat, turn, elements))
          // Where the answer could not be drawn either, that has been reported.
          .catch((fault: unknown) => turn.status.peek().reason === 'bad_answer' || chat.report(fault));
    return (
      // A question just asked here (no uuid yet) is scrolled into view; restored ones are not.
      <div class="turn" ref={turn.message ? null : showTurn}>
        <div class="question" role="group" aria-label={words.field}>
          {turn.query}
        </div>
        <div class="answer" role="group" aria-label={words.answer} ref={styleAnswers}>
          <div class="text" dir="auto">
            {isBroken ? (
              turn.text.value
            ) : (
              <Markdown
                text={turn.text}
                last={() => turn.last}
                isWhole={isOver}
                words={words}
                imageHosts={chat.profile.value.image_hosts}
                targetOf={chat.targetOf}
                marker={(key) => <Marker chat={chat} turn={turn} marker={key} />}
              />
            )}
          </div>
          <Note
            chat={chat}
            status={chat.consent.value && !isOver ? { is: '' } : status}
            onRetry={() => chat.retry(turn)}
          />
          {turn.pending && <div key={turn.pending.until} ref={fill(() => import('./after-answer/confirmation.ts'))} />}
          {isOver && Object.keys(turn.citations.value)[0] && (
            <div key={words.sources} class="sources" ref={fill(loadSources)} />
          )}
          {isOver && <div class="actions" ref={fill(loadAfterAnswer)} />}
        </div>
      </div>
    );
  }
}
