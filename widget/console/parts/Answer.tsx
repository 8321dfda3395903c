import type { ReadonlySignal } from '@preact/signals';
import type { Citation } from '../../../server/types.ts';
import { objectIn } from '../json.ts';
import { Markdown } from '../../markdown/Markdown.tsx';

interface AnswerProps {
  query: string;
  text: ReadonlySignal<string>;
  /** A JSON object of citations by marker. */
  citations: string;
  isWhole: boolean;
}

const WORDS = { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' };

/** A question with its answer as a visitor would see it; the quoted passages stand below it. */
export function Answer({ query, text, citations, isWhole }: AnswerProps) {
  const cited = Object.entries(objectIn<Record<string, Citation>>(citations) as Record<string, Citation>);
  const marker = (key: string) => {
    const citation = cited.find(([own]) => own === key)?.[1];
    return citation ? <sup class="marker">{key}</sup> : null;
  };
  return (
    <article class="answer" aria-label="Answer" aria-busy={!isWhole}>
      <p class="query">{query}</p>
      <div class="text">
        {/* A marker that is drawn before its citation would not be drawn again. */}
        <Markdown key={citations} text={text} isWhole={isWhole} words={WORDS} marker={marker} />
      </div>
      {cited.length > 0 && (
        <ol class="citations" aria-label="Sources">
          {cited.map(([key, citation]) => (
            <li key={key} value={Number(key)}>
              <Source citation={citation} />
              {citation.text && <blockquote>{citation.text}</blockquote>}
            </li>
          ))}
        </ol>
      )}
    </article>
  );
}

const Source = ({ citation: { title, file_name } }: { citation: Citation }) =>
  /^https?:\/\//i.test(file_name) ? (
    <a href={file_name} target="_blank" rel="noreferrer">
      {title || file_name}
    </a>
  ) : (
    <strong>{title || file_name}</strong>
  );
