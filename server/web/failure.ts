/** Why a page could not be had, in the words that follow `error:` in a source's status. */
export type WebReason = 'download' | 'not found' | 'content type' | 'blocked address';

/** The only thing `Web.get` rejects with. The message is for the log: it may hold the address. */
export class WebFailure extends Error {
  readonly reason: WebReason;

  constructor(reason: WebReason, detail: string, cause?: unknown) {
    super(`${reason}: ${detail}`, { cause });
    this.reason = reason;
  }
}

export const blocked = (detail: string): WebFailure => new WebFailure('blocked address', detail);

/** undici and node wrap what a connector or a stream threw: the first of ours in the chain, or `download`. */
export function asWebFailure(error: unknown): WebFailure {
  let link: unknown = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++, link = link.cause) {
    if (link instanceof WebFailure) return link;
  }
  return new WebFailure('download', error instanceof Error ? error.message : String(error), error);
}
