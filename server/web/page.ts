import { readBody } from './body.ts';
import { headerOf, headersOf, type Reply } from './exchange.ts';
import { TooLarge, WebFailure } from './errors.ts';
import type { Framing } from './framing.ts';
import { ROBOT } from './robots.ts';

export interface Page {
  /** After redirects. */
  url: string;
  /** Lower case, without parameters. */
  mediaType: string;
  /** Of the content-type header; undefined where it names none. */
  charset: string | undefined;
  /** Decompressed, in its own charset. */
  body: Buffer;
  /** Validator for a conditional request; '' where the site sends none, as `lastModified`. */
  etag: string;
  lastModified: string;
  /** True where an X-Robots-Tag forbids to follow its links. */
  nofollow: boolean;
  /** Headers that say who may frame it, in the order in which they came. */
  framing: Framing;
}

/** Reads a reply that is no redirect; throws a `WebFailure` where it is no readable page. */
export async function pageOf(reply: Reply, url: URL, accept: string[], limit: number): Promise<Page> {
  const { statusCode } = reply;
  if (statusCode === 404 || statusCode === 410) throw new WebFailure('not found', String(statusCode));
  if (statusCode !== 200) throw new WebFailure('download', `status ${statusCode}`);
  checkTag(reply);
  const [type = '', ...parameters] = headerOf(reply, 'content-type').split(';');
  const mediaType = type.trim().toLowerCase();
  if (!accept.includes(mediaType)) throw new WebFailure('content type', mediaType || 'none');
  if (Number(headerOf(reply, 'content-length')) > limit) throw new TooLarge(limit);
  const body = await readBody(reply.body, headerOf(reply, 'content-encoding'), limit);
  const [etag, lastModified] = [validatorOf(headerOf(reply, 'etag')), validatorOf(headerOf(reply, 'last-modified'))];
  const nofollow = hasRobotsTag(reply, /^\s*(?:nofollow|none)\s*$/i);
  const framing = {
    options: headersOf(reply, 'x-frame-options'),
    policies: headersOf(reply, 'content-security-policy'),
  };
  return { url: url.href, mediaType, charset: charsetOf(parameters), body, etag, lastModified, nofollow, framing };
}

/** Throws a `robots` failure where an X-Robots-Tag forbids to index the page. */
export function checkTag(reply: Reply): void {
  if (hasRobotsTag(reply, /^\s*(?:noindex|none)\s*$/i)) throw new WebFailure('robots', 'X-Robots-Tag');
}

const hasRobotsTag = (reply: Reply, word: RegExp): boolean =>
  headersOf(reply, 'x-robots-tag').some((header) => hasRule(header, word));

/** Parses `noindex, nofollow` and `otherbot: noindex, docentbot: none`: a name applies to the rules after it. */
function hasRule(header: string, word: RegExp): boolean {
  let appliesToUs = true;
  return header.split(',').some((part) => {
    const [, name, rules = part] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
    if (name && !/^(?:unavailable_after|max-)/i.test(name)) appliesToUs = name.toLowerCase() === ROBOT.toLowerCase();
    return appliesToUs && word.test(rules);
  });
}

/** Ignores validators longer than 500 characters: they are stored with the source. */
const validatorOf = (header: string): string => (header.length <= 500 ? header : '');

function charsetOf(parameters: string[]): string | undefined {
  const found = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1]).find(Boolean);
  return found?.toLowerCase();
}
