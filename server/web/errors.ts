/** Why a page could not be had, in the words that follow `error:` in a source's status. */
export type WebReason = 'download' | 'not found' | 'content type' | 'blocked address' | 'robots' | 'off site';

/** The only thing `Web.get` rejects with. The message is for the log: it may hold the address. */
export class WebFailure extends Error {
  readonly reason: WebReason;
  /** The page itself said nothing: it may be as it was, and what is known of it stays. */
  readonly passing: boolean;
  /** What its owner can do about it, without the address; '' where nothing is known. */
  readonly remedy: string;

  constructor(reason: WebReason, detail: string, cause?: unknown, passing = PASSING.has(reason), remedy = '') {
    super(`${reason}: ${detail}`, { cause });
    this.reason = reason;
    this.passing = passing;
    this.remedy = remedy;
  }
}

const PASSING = new Set<WebReason>(['download', 'blocked address']);

export const blocked = (detail: string, remedy = ''): WebFailure =>
  new WebFailure('blocked address', detail, undefined, true, remedy);

/** undici and node wrap what a connector or a stream threw: the first of ours in the chain, or `download`. */
export function asWebFailure(error: unknown): WebFailure {
  let link: unknown = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++, link = link.cause) {
    if (link instanceof WebFailure) return link;
  }
  return new WebFailure('download', error instanceof Error ? error.message : String(error), error);
}
