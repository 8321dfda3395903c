import type { WholeReply } from '../../outbound/exchange.ts';
import { OutboundFailure, type ExchangeFailure } from '../../outbound/failures.ts';

/** Errors of the remote upstream. Causes are for the log: they contain neither the key nor the question. */

/** `why` goes to the log only. */
export const upstreamFailed = (why: string, reason = 'bad_reply'): OutboundFailure =>
  new OutboundFailure(reason, 'upstream_failed', 'the chatbot cannot be reached at the moment; please try again', {
    cause: causeOf(why),
  });

export const upstreamTooLate = (why = 'the reply was not whole in time'): OutboundFailure =>
  new OutboundFailure('timeout', 'upstream_timeout', 'the chatbot did not answer in time; please try again', {
    cause: causeOf(why),
  });

/** Seconds, where the server names none. */
const DEFAULT_RETRY_AFTER = 5;

/** Undefined where the status does not say that the server is overloaded. */
export function overloaded({ status, retryAfter }: Omit<WholeReply, 'body'>): OutboundFailure | undefined {
  if (status !== 429 && (status !== 503 || retryAfter === undefined)) return undefined;
  return new OutboundFailure('busy', 'unavailable', 'the chatbot has too much to do; please try again later', {
    retryAfter: retryAfter ?? DEFAULT_RETRY_AFTER,
    cause: causeOf(`it answered ${status}`),
  });
}

export function exchangeFailed({ kind, message }: ExchangeFailure): OutboundFailure {
  if (kind === 'timeout' || kind === 'deadline') return upstreamTooLate(message);
  return upstreamFailed(message, kind === 'too_large' ? 'bad_reply' : kind);
}

const causeOf = (why: string): Error => new Error(`the upstream server: ${why}`);
