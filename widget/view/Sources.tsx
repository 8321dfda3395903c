import type { VNode } from 'preact';
import type { Citation, Citations } from '../../server/types.ts';
import type { Chat } from '../chat.ts';
import type { Turn } from '../turn.ts';
import { hostOf, titleOf } from '../citations.ts';
import { Jump } from './Jump.tsx';

type Source = [marker: string, citation: Citation][];

/** One row a page or file, with every marker that leads there. */
function bySource(citations: Citations): Source[] {
  const sources: Record<string, Source> = {};
  for (const entry of Object.entries(citations)) (sources[entry[1].file_name + titleOf(entry[1])] ??= []).push(entry);
  return Object.values(sources);
}

export function Sources({ chat, turn }: { chat: Chat; turn: Turn }): VNode | null {
  const words = chat.words.value;
  const sources = bySource(turn.citations.value);
  if (!sources[0]) return null;
  return (
    <div class="sources">
      <p id={turn.id}>{words.sources}</p>
      <ul aria-labelledby={turn.id}>
        {sources.map((source) => {
          const citation = source[0]![1];
          return (
            <li>
              {source.map(([marker]) => (
                <span class="marker">{marker}</span>
              ))}
              <Jump citation={citation} words={words}>
                {titleOf(citation)}
              </Jump>
              {hostOf(citation)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
