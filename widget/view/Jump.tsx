import type { ComponentChildren, VNode } from 'preact';
import type { Citation } from '../../server/types.ts';
import { quoteAddress } from '../citations.ts';
import type { PanelWords } from '../words/en.ts';

interface JumpProps {
  citation: Citation;
  words: PanelWords;
  children: ComponentChildren;
}

/** Leads to the quoted words in their page; only names what is no page. */
export function Jump({ citation, words, children }: JumpProps): VNode {
  const address = quoteAddress(citation);
  if (!address) return <span class="jump">{children}</span>;
  return (
    <a class="jump" href={address} target="_blank" rel="noopener">
      {children}
      <span class="unseen"> ({words.newTab})</span>
    </a>
  );
}
