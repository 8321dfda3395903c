import type { VNode } from 'preact';
import type { Citation } from '../../server/types.ts';
import { linkCitation } from '../browser/citations.ts';
import type { PanelWords } from '../words/en.ts';

interface SourceProps {
  words: PanelWords;
  citation: Citation;
}

/** Title and host of a cited page, linked to the quote; a file has no address and is not linked. */
export function Source({ words, citation }: SourceProps): VNode {
  const { title, host, href } = linkCitation(citation);
  return (
    <p>
      <a class="jump" href={href} title={href && words.newTab} target="_blank" rel="noopener">
        {title}
      </a>{' '}
      <span class="host">{host}</span>
    </p>
  );
}
