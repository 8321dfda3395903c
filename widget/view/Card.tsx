import type { VNode } from 'preact';
import type { Citation } from '../../server/types.ts';
import { hostOf, titleOf } from '../citations.ts';
import { CLOSE, IconButton } from './Icon.tsx';
import { Jump } from './Jump.tsx';
import type { PanelWords } from '../words/en.ts';

interface CardProps {
  words: PanelWords;
  citation: Citation;
  marker: string;
  /** Its name. */
  label: string;
  onMount: (card: HTMLElement | null) => void;
  onClose: () => void;
}

/** A citation, opened: where it stands and what it says there. */
export function Card({ words, citation, marker, label, onMount, onClose }: CardProps): VNode {
  return (
    <div class="card" role="dialog" aria-label={label} tabIndex={-1} ref={onMount}>
      <div class="top">
        <span class="marker" aria-hidden="true">
          {marker}
        </span>
        <strong>{titleOf(citation)}</strong>
        <IconButton d={CLOSE} label={words.closeSource} onClick={onClose} />
      </div>
      <blockquote dir="auto">{citation.text}</blockquote>
      <p>
        <Jump citation={citation} words={words}>
          {hostOf(citation)}
        </Jump>
      </p>
    </div>
  );
}
