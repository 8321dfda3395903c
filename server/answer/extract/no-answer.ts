import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { linksTo } from './page-links.ts';
import { phrasesFor } from './phrases.ts';

interface NoAnswerOptions {
  /** As in `phrasesFor`. */
  acceptedLanguages?: readonly string[] | undefined;
  /** What else the visitor may do, as the last line. */
  offer?: string | undefined;
}

/**
 * The reply where no passage answers, in the visitor's language: two lines or more, with links to the closest pages where
 * there are any.
 */
export function writeNoAnswer(
  query: Query,
  found: Found[],
  { acceptedLanguages, offer }: NoAnswerOptions = {},
): string {
  const { unknown, closest, otherWords } = phrasesFor(query, found, acceptedLanguages);
  const links = linksTo(found);
  return [unknown, links ? `${closest}\n\n${links}` : otherWords, offer].filter(Boolean).join('\n\n');
}
