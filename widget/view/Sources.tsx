import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';
import { Source } from './Source.tsx';

/** List of an answer's sources: one row per page or file, with all markers that cite it. */
export function Sources({ chat, turn }: { chat: Chat; turn: Turn }): VNode | null {
  const words = chat.words.value;
  const citations = turn.citations.value;
  const markers = Object.keys(citations);
  return markers[0] ? (
    <div class="sources">
      <p>{words.sources}</p>
      <ul>
        {markers.map((marker) => {
          const citation = citations[marker]!;
          const same = markers.filter((other) => citations[other]!.file_name === citation.file_name);
          return (
            same[0] === marker && (
              <li>
                <span>
                  {same.map((one) => (
                    <span class="marker">{one}</span>
                  ))}
                </span>
                <Source words={words} citation={citation} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  ) : null;
}
