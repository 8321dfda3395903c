import type { Block } from '../blocks.ts';
import type { Placed } from './placed.ts';

/** Of what stands on all pages of a site, only lines that tell how and when to reach those of the site. */

const MAIL = /[\w.+-]+@[\w-]+\.[\w.-]*\w/;
/** From an area code on, or as `555-123-4567`. */
const PHONE = /(?<![\p{L}\p{N}.,/-])(?:\+|\(?0|\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4})(?:[ ()/.-]*\d)*/gu;
const MIN_PHONE_DIGITS = 7;
/** With minutes, or with the word that makes a number a time. */
const HOURS =
  /(?<!\d)\d{1,2}(?:[:.h]\d{2})?(?: ?(?:[ap]\.?m\.?|h|uhr))?\s?(?:[-–—]|\p{L}{1,3})\s?\d{1,2}(?:[:.h]\d{2}| ?[ap]\.?m\b| ?h\b| ?uhr)/iu;
/** A code with the place behind it or before it. */
const POSTAL =
  /\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b[A-Z]\d[\dW] ?[A-Z\d]{4}\b|\b\d{4,5},? ?(?:[A-Z]{2}\b )?\p{Lu}\p{L}{2}|\p{L}, [A-Z]{2} \d{5}\b|\b\d{2}-\d{3} \p{Lu}|〒\d{3}/u;
const RIGHTS = /[©®]|copyright/i;

/** UTF-16 units of a line, and of all. */
const MAX_LINE = 200;
const MAX_TOTAL = 800;
const MAX_HEADING = 60;

const isPhone = (number: string): boolean => number.replace(/\D/g, '').length >= MIN_PHONE_DIGITS;
const tells = (line: string): boolean =>
  MAIL.test(line) || HOURS.test(line) || POSTAL.test(line) || (line.match(PHONE) ?? []).some(isPhone);

/** Such lines of the blocks of a header or a footer, links to other pages left out, each under the heading right above it. */
export function siteFactsIn(blocks: readonly Placed<unknown>[]): Block[] {
  const facts: Block[] = [];
  let heading: Block | undefined;
  let length = 0;
  for (const { block } of blocks) {
    const { kind, text } = block;
    if (kind === 'heading') heading = text.length <= MAX_HEADING && !tells(text) ? block : undefined;
    if ((kind === 'heading' && heading) || text.length > MAX_LINE || RIGHTS.test(text) || !tells(text)) continue;
    length += text.length;
    if (length > MAX_TOTAL) break;
    if (heading) facts.push({ kind: 'heading', level: 6, text: heading.text });
    heading = undefined;
    facts.push({ kind: 'text', text });
  }
  return facts;
}
