import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Turn } from '../turn.ts';
import { fill, type PanelWords } from '../words/en.ts';
import { noteOf } from './Note.tsx';

/** Markdown's signs and markers are nothing to listen to. */
const spoken = (text: string): string => text.replace(/\[[\d.]+\]|[*_`#>|~]+/g, '');

function sentence({ status: { value }, text }: Turn, words: PanelWords): string {
  const { is } = value;
  if (is === 'waiting' || is === 'streaming') return words[is];
  const whole = is === 'done' ? fill(words.finished, { text: spoken(text.peek()) }) : '';
  return `${whole} ${noteOf(value, words)}`.trim();
}

/** Tells a screen reader when an answer starts and what it says when it is whole, never piece by piece. */
export function Announcer({ chat }: { chat: Chat }): VNode {
  const turn = chat.latest.value;
  return (
    <p class="unseen" role="status">
      {turn && sentence(turn, chat.words.value)}
    </p>
  );
}
