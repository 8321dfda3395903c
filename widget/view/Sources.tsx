import type { VNode } from 'preact';
import type { Citation, Citations } from '../../server/types.ts';
import type { Turn } from '../turn.ts';
import { quoteAddress } from '../citations.ts';
import { hostOf, titleOf } from './Card.tsx';
import { useRoom } from './context.ts';

interface Source {
  citation: Citation;
  markers: string[];
}

/** One row a page or file, with every marker that leads there. */
function bySource(citations: Citations): Source[] {
  const sources = new Map<string, Source>();
  for (const [marker, citation] of Object.entries(citations)) {
    const key = `${citation.file_name} ${citation.title}`;
    const source = sources.get(key) ?? { citation, markers: [] };
    source.markers.push(marker);
    sources.set(key, source);
  }
  return [...sources.values()];
}

function Row({ citation, markers }: Source): VNode {
  const { words } = useRoom();
  const address = quoteAddress(citation);
  const title = titleOf(citation);
  return (
    <li>
      {markers.map((marker) => (
        <span class="badge">{marker}</span>
      ))}
      {address ? (
        <a class="name" href={address} target="_blank" rel="noopener">
          {title}
          <span class="unseen"> ({words.newTab})</span>
        </a>
      ) : (
        <span class="name">{title}</span>
      )}
      <span class="host">{hostOf(citation)}</span>
    </li>
  );
}

export function Sources({ turn }: { turn: Turn }): VNode | null {
  const { words } = useRoom();
  const sources = bySource(turn.citations.value);
  if (sources.length === 0) return null;
  return (
    <div class="sources">
      <p id={`sources-${turn.key}`}>{words.sources}</p>
      <ul aria-labelledby={`sources-${turn.key}`}>
        {sources.map((source) => (
          <Row key={source.markers[0]} {...source} />
        ))}
      </ul>
    </div>
  );
}
