import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Citation } from '../../server/types.ts';
import type { Turn } from '../turn.ts';
import { pageAddress, quoteAddress } from '../citations.ts';
import { fill } from '../words/en.ts';
import { useRoom } from './context.ts';
import { Icon, IconButton } from './Icon.tsx';

export const titleOf = (citation: Citation): string => citation.title || hostOf(citation);

export const hostOf = (citation: Citation): string =>
  pageAddress(citation.file_name)?.host.replace(/^www\./, '') ?? citation.file_name;

function SourceLink({ citation }: { citation: Citation }): VNode {
  const { words } = useRoom();
  const address = quoteAddress(citation);
  if (!address) return <p class="host">{citation.file_name}</p>;
  return (
    <a class="action" href={address} target="_blank" rel="noopener">
      <span class="name">{fill(words.openSource, { host: hostOf(citation) })}</span>
      <Icon name="out" />
      <span class="unseen"> ({words.newTab})</span>
    </a>
  );
}

interface CardProps {
  turn: Turn;
  marker: string;
  /** The button that opened it; the focus returns there. */
  from: { current: HTMLElement | null };
}

/** A citation, opened under its marker: where it stands and what it says there. */
export function Card({ turn, marker, from }: CardProps): VNode | null {
  const { chat, words } = useRoom();
  const card = useRef<HTMLDivElement>(null);
  const citation = turn.citations.value[marker];
  useLayoutEffect(() => {
    const { current } = card;
    const line = from.current;
    if (!current) return;
    if (line) current.style.top = `${line.offsetTop + line.offsetHeight + 8}px`;
    current.focus({ preventScroll: true });
    current.scrollIntoView?.({ block: 'nearest' });
  }, []);
  if (!citation) return null;
  const close = (): void => {
    chat.hideCitation();
    from.current?.focus();
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  return (
    <div
      class="card"
      role="dialog"
      aria-label={fill(words.source, { marker, title: titleOf(citation) })}
      tabIndex={-1}
      ref={card}
      onKeyDown={escape}
    >
      <div class="top">
        <span class="badge" aria-hidden="true">
          {marker}
        </span>
        <strong>{titleOf(citation)}</strong>
        <IconButton icon="close" label={words.closeSource} onClick={close} />
      </div>
      <blockquote>{citation.text}</blockquote>
      <SourceLink citation={citation} />
    </div>
  );
}
