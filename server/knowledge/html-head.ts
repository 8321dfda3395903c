import { Parser } from 'htmlparser2';

/** A head is read until it ends; of a page that never says where that is, this many characters. */
const LONGEST = 256 * 1024;
const SLICE = 16 * 1024;

/** Whether a page's own `<meta name="robots">`, or the one for `robot`, keeps it out of an index. */
export function forbidsIndex(html: string, robot: string): boolean {
  const names = new Set(['robots', robot.toLowerCase()]);
  const seen = { forbidden: false, end: false };
  const parser = new Parser({
    onopentag(tag, { name = '', content = '' }) {
      seen.end ||= tag === 'body';
      if (seen.end || tag !== 'meta' || !names.has(name.trim().toLowerCase())) return;
      seen.forbidden ||= content.split(',').some((word) => /^\s*(?:noindex|none)\s*$/i.test(word));
    },
    onclosetag(tag) {
      seen.end ||= tag === 'head';
    },
  });
  for (let at = 0; at < Math.min(html.length, LONGEST) && !seen.end && !seen.forbidden; at += SLICE) {
    parser.write(html.slice(at, at + SLICE));
  }
  return seen.forbidden;
}
