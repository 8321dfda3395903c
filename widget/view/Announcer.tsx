import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';
import type { PanelWords } from '../words/en.ts';
import { noteText } from './Note.tsx';

/** Screen readers would read Markdown's punctuation and the citation markers aloud. */
const withoutMarkup = (text: string): string => text.replace(/\[[\d.]+\]|[*_`#>|~]+/g, '');

function announcementOf({ status: { value }, text }: Turn, words: PanelWords): string {
  const note = noteText(value, words);
  return value.is === 'done' ? `${words.answer}: ${withoutMarkup(text.peek())}\n${note}` : note;
}

/**
 * Live region: announces an answer's start and its finished text, not each piece. A paragraph per sentence, so that a listener can
 * move from one to the next.
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
