import type { VNode } from 'preact';
import type { Citation } from '../../server/types.ts';
import { linkCitation } from '../browser/citations.ts';
import type { PanelWords } from '../words/en.ts';

interface SourceProps {
  words: PanelWords;
  citation: Citation;
  /** Those that lead there. */
  markers: string[];
}

/** Where quoted words stand: the page, which opens at them, and its host. A file has no address, so its name is no link. */
export function Source({ words, citation, markers }: SourceProps): VNode {
  const { title, host, href } = linkCitation(citation);
  return (
    <p>
      {markers.map((marker) => (
        <span class="marker">{marker}</span>
      ))}
      <a class="jump" href={href} title={href && words.newTab} target="_blank" rel="noopener">
        {title}
      </a>{' '}
      <span class="host">{host}</span>
    </p>
  );
}
