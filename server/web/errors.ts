/** Why a page could not be fetched: the part after `error:` of a source's status. */
type WebReason = 'download' | 'not found' | 'content type' | 'blocked address' | 'robots' | 'off site';

/** The only error that `Web.get` rejects with. Its message is for the log alone, since it may contain the address. */
export class WebFailure extends Error {
  readonly reason: WebReason;
  /** True for failures that may pass, such as a time-out: what was ingested of the page before stays. */
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

/** The body has more than `limit` bytes. */
export class TooLarge extends WebFailure {
  constructor(limit: number) {
    super('download', `larger than ${limit} bytes`);
  }
}

const PASSING = new Set<WebReason>(['download', 'blocked address']);

export const blocked = (detail: string, remedy = ''): WebFailure =>
  new WebFailure('blocked address', detail, undefined, true, remedy);

/** Finds the `WebFailure` among the causes, since undici and Node wrap errors of connectors and streams; else `download`. */
export function asWebFailure(error: unknown): WebFailure {
  let link: unknown = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++, link = link.cause) {
    if (link instanceof WebFailure) return link;
  }
  return new WebFailure('download', error instanceof Error ? error.message : String(error), error);
}
