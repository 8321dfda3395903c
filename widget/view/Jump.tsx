import type { ComponentChildren, VNode } from 'preact';
import type { Citation } from '../../server/types.ts';
import { quoteAddress } from '../citations.ts';
import type { PanelWords } from '../words/en.ts';

interface JumpProps {
  citation: Citation;
  words: PanelWords;
  look: string;
  children: ComponentChildren;
}

/** Leads to the quoted words in their page; only names what is no page. */
export function Jump({ citation, words, look, children }: JumpProps): VNode {
  const address = quoteAddress(citation);
  if (!address) return <span class={look}>{children}</span>;
  return (
    <a class={look} href={address} target="_blank" rel="noopener">
      {children}
      <span class="unseen"> ({words.newTab})</span>
    </a>
  );
}
