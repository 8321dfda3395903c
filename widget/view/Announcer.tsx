import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';
import type { PanelWords } from '../words/en.ts';
import { noteText } from './Note.tsx';

/** Markdown's signs and markers are nothing to listen to. */
const withoutMarkup = (text: string): string => text.replace(/\[[\d.]+\]|[*_`#>|~]+/g, '');

function announcementOf({ status: { value }, text }: Turn, words: PanelWords): string {
  const note = noteText(value, words);
  return value.is === 'done' ? `${words.answer}: ${withoutMarkup(text.peek())}\n${note}` : note;
}

/**
 * Tells a screen reader when an answer starts and what it says when it is whole, never piece by piece: a paragraph for each
 * sentence, so that a listener can go from one to the next and stop between them.
 */
export function Announcer({ chat }: { chat: Chat }): VNode {
  const turn = chat.latest.value;
  const all = turn ? announcementOf(turn, chat.words.value) : '';
  return (
    <div class="unseen" aria-live="polite">
      {all.split(/(?<=[.!?…]\s|[。！？\n])/).map((sentence) => (
        <p>{sentence}</p>
      ))}
    </div>
  );
}
