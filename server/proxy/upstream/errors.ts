import { Refusal } from '../../schema/errors.ts';
import type { WholeReply } from '../../outbound/exchange.ts';
import type { ExchangeFailure } from '../../outbound/failures.ts';

/** Errors of the remote upstream. Causes are for the log: they hold no key and nothing of the question. */

export class UpstreamFailure extends Refusal {
  /** `unreachable`, `timeout`, `busy`, `bad_reply` or `status_` with the HTTP status: for `/readyz`. */
  readonly reason: string;

  constructor(reason: string, ...refusal: ConstructorParameters<typeof Refusal>) {
    super(...refusal);
    this.reason = reason;
  }
}

/** `why` goes to the log only. */
export const upstreamFailed = (why: string, reason = 'bad_reply'): UpstreamFailure =>
  new UpstreamFailure(reason, 'upstream_failed', 'the chatbot cannot be reached at the moment; please try again', {
    cause: causeOf(why),
  });

export const upstreamTooLate = (why = 'the reply was not whole in time'): UpstreamFailure =>
  new UpstreamFailure('timeout', 'upstream_timeout', 'the chatbot did not answer in time; please try again', {
    cause: causeOf(why),
  });

/** Seconds, where the server names none. */
const DEFAULT_RETRY_AFTER = 5;

/** Undefined where the status does not say that the server is overloaded. */
export function overloaded({ status, retryAfter }: Omit<WholeReply, 'body'>): UpstreamFailure | undefined {
  if (status !== 429 && (status !== 503 || retryAfter === undefined)) return undefined;
  return new UpstreamFailure('busy', 'unavailable', 'the chatbot has too much to do; please try again later', {
    retryAfter: retryAfter ?? DEFAULT_RETRY_AFTER,
    cause: causeOf(`it answered ${status}`),
  });
}

export function exchangeFailed({ kind, message }: ExchangeFailure): UpstreamFailure {
  if (kind === 'timeout' || kind === 'deadline') return upstreamTooLate(message);
  return upstreamFailed(message, kind === 'too_large' ? 'bad_reply' : kind);
}

const causeOf = (why: string): Error => new Error(`the upstream server: ${why}`);
