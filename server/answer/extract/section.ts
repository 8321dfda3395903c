import type { Found } from '../../knowledge/search/found.ts';
import { CODE_FENCE } from '../../knowledge/text/sentences.ts';

/** UTF-16 units up to which the text under a heading is quoted whole: a sentence of it is often no answer without the next. */
const MAX_SECTION_LENGTH = 400;
const ITEM = /^(?:-|\d{1,3}\.) /m;

/** Whether a passage is quoted whole: a short section. Of lists and tables the items asked for are quoted. */
export function isQuotedWhole({ source, headings, text, match }: Found): boolean {
  if (source.type === 'qa' || match.asked) return true;
  return headings.length > 0 && text.length <= MAX_SECTION_LENGTH && !text.includes(CODE_FENCE) && !ITEM.test(text);
}
