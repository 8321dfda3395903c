import type { VNode } from 'preact';
import type { Turn } from '../turn.ts';
import { fill, type PanelWords } from '../words/en.ts';
import { useRoom } from './context.ts';
import { noteOf } from './Note.tsx';

/** Markdown's signs and markers are nothing to listen to. */
const spoken = (text: string): string => text.replace(/\[[\d.]+\]|[*_`#>|~]+/g, '');

function sentence(turn: Turn | undefined, words: PanelWords): string {
  const status = turn?.status.value;
  if (!turn || !status) return '';
  if (status.is === 'waiting') return words.waiting;
  if (status.is === 'streaming') return words.started;
  const text = status.is === 'done' ? fill(words.finished, { text: spoken(turn.text.peek()) }) : '';
  return `${text} ${noteOf(status, words)}`.trim();
}

/** Tells a screen reader when an answer starts and what it says when it is whole, never piece by piece. */
export function Announcer(): VNode {
  const { chat, words } = useRoom();
  return (
    <p class="unseen" role="status">
      {sentence(chat.latest.value, words)}
    </p>
  );
}
