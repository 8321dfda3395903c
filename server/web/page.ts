import { readBody } from './body.ts';
import { headerOf, headersOf, type Reply } from './exchange.ts';
import { WebFailure } from './errors.ts';
import { ROBOT } from './robots.ts';

export interface Page {
  /** Where the page was in the end, after redirects. */
  url: string;
  /** Lower case, without parameters. */
  mediaType: string;
  /** As the header names it, if it does. */
  charset: string | undefined;
  /** Decoded from gzip or br, not from its charset. */
  body: Buffer;
  /** By which the site knows this state of the page; '' where it does not say. */
  etag: string;
  lastModified: string;
  /** Its links are not to be followed, says an X-Robots-Tag. */
  nofollow: boolean;
}

/** A reply that is no redirect, as a page; throws a failure where it is none. */
export async function pageOf(reply: Reply, url: URL, accept: string[], limit: number): Promise<Page> {
  const { statusCode } = reply;
  if (statusCode === 404 || statusCode === 410) throw new WebFailure('not found', String(statusCode));
  if (statusCode !== 200) throw new WebFailure('download', `status ${statusCode}`);
  checkTag(reply);
  const [type = '', ...parameters] = headerOf(reply, 'content-type').split(';');
  const mediaType = type.trim().toLowerCase();
  if (!accept.includes(mediaType)) throw new WebFailure('content type', mediaType || 'none');
  if (Number(headerOf(reply, 'content-length')) > limit) throw new WebFailure('download', `larger than ${limit} bytes`);
  const body = await readBody(reply.body, headerOf(reply, 'content-encoding'), limit);
  const [etag, lastModified] = [mark(headerOf(reply, 'etag')), mark(headerOf(reply, 'last-modified'))];
  const nofollow = tagged(reply, /^\s*(?:nofollow|none)\s*$/i);
  return { url: url.href, mediaType, charset: charsetOf(parameters), body, etag, lastModified, nofollow };
}

/** Throws a `robots` failure where the reply's X-Robots-Tag keeps the page out of an index. */
export function checkTag(reply: Reply): void {
  if (tagged(reply, /^\s*(?:noindex|none)\s*$/i)) throw new WebFailure('robots', 'X-Robots-Tag');
}

const tagged = (reply: Reply, word: RegExp): boolean =>
  headersOf(reply, 'x-robots-tag').some((header) => says(header, word));

/** `noindex, nofollow`, or `otherbot: noindex, docentbot: none`: a name holds for what follows it. */
function says(header: string, word: RegExp): boolean {
  let concerned = true;
  return header.split(',').some((part) => {
    const [, name, said = part] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
    if (name && !/^(?:unavailable_after|max-)/i.test(name)) concerned = name.toLowerCase() === ROBOT.toLowerCase();
    return concerned && word.test(said);
  });
}

/** It is kept with the source and sent back: one of unseemly length is not worth that. */
const mark = (header: string): string => (header.length <= 500 ? header : '');

function charsetOf(parameters: string[]): string | undefined {
  const found = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1]).find(Boolean);
  return found?.toLowerCase();
}
