import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { scrollIntoLog } from './scroll.ts';
import { Marker } from './Marker.tsx';
import { Note } from './Note.tsx';
import { Sources } from './Sources.tsx';

interface TurnProps {
  chat: Chat;
  turn: Turn;
}

/** A question and its answer. */
export function TurnView({ chat, turn }: TurnProps): VNode {
  const words = chat.words.value;
  const { is } = turn.status.value;
  /** A ref for an empty element. */
  const show =
    (part: 'showActions' | 'showConfirmation') =>
    (place: HTMLElement | null): void =>
      void import('./after-answer/after-answer.ts').then((parts) => parts[part](place, chat, turn)).catch(chat.report);
  return (
    // A question just asked here (no uuid yet) is scrolled into view; restored ones are not.
    <div class="turn" ref={turn.message ? null : scrollIntoLog}>
      <div class="question" role="group" aria-label={words.field}>
        {turn.query}
      </div>
      <div class="answer" role="group" aria-label={words.answer}>
        <div class="text" dir="auto">
          <Markdown
            text={turn.text}
            last={() => turn.last}
            isWhole={is === 'done' || is === 'failed'}
            words={words}
            imageHosts={chat.profile.value.image_hosts}
            marker={(key) => <Marker chat={chat} turn={turn} marker={key} />}
          />
        </div>
        <Note words={words} status={turn.status.value} onRetry={() => chat.retry(turn)} />
        {turn.pending && <div ref={show('showConfirmation')} />}
        {is === 'done' && <Sources chat={chat} turn={turn} />}
        {is === 'done' && <div class="actions" ref={show('showActions')} />}
      </div>
    </div>
  );
}
