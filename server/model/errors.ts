import { OutboundFailure, type ExchangeFailure } from '../outbound/failures.ts';
import { parseObject } from './completion.ts';

/** Errors of a model server. Causes are for the log: they contain neither the key nor the question. */

/** `why` goes to the log only; `reason` as in `OutboundFailure`. */
export const modelFailed = (why: string, reason = 'bad_reply'): OutboundFailure =>
  new OutboundFailure(reason, 'model_failed', 'the model could not answer; please try again', {
    cause: new Error(why),
  });

/** `retryAfter` in seconds. */
export const modelBusy = (retryAfter = 5): OutboundFailure =>
  new OutboundFailure('busy', 'unavailable', 'the model has too much to do; please try again later', {
    retryAfter,
    cause: new Error('the model server answered 429'),
  });

/** Too many calls wait for their turn: the model itself may be well. */
export const modelOverloaded = (): OutboundFailure =>
  new OutboundFailure('overloaded', 'unavailable', 'the model has too much to do; please try again later', {
    retryAfter: 5,
    cause: new Error('too many calls wait for the model, or for too long: MODEL_CONCURRENCY'),
  });

export function exchangeFailed({ kind, message }: ExchangeFailure): OutboundFailure {
  const why = `the model server: ${message}`;
  if (kind === 'timeout' || kind === 'deadline') return timedOut(why);
  return modelFailed(why, kind === 'too_large' ? 'bad_reply' : kind);
}

/** A limit of the answer's time is over, though its server may still send. `why` completes “the answer: …”. */
export const answerTooLate = (why: string): OutboundFailure => timedOut(`the answer: ${why}`);

const timedOut = (why: string): OutboundFailure =>
  new OutboundFailure('timeout', 'model_timeout', 'the model did not answer in time; please try again', {
    cause: new Error(why),
  });

/**
 * The message of an error body, for the log: its first 300 units, without the key, and none where it quotes the request
 * (many servers send a rejected body back).
 */
export function errorSentence(body: string, key: string | undefined, contents: string[]): string {
  const text = sentenceIn(body).slice(0, 300);
  if (contents.some((content) => quotes(text, content))) return '(its words quote the request)';
  return key ? text.replaceAll(key, '[key]') : text;
}

function sentenceIn(body: string): string {
  const fields = (parseObject(body) ?? {}) as Record<string, unknown>;
  const error = Object(fields['error'] ?? {}) as Record<string, unknown>;
  const named = [error['message'], fields['error'], fields['message'], fields['detail']];
  return named.find((one): one is string => typeof one === 'string') ?? '';
}

/** UTF-16 units of the request that count as a quotation of it. */
const MIN_QUOTE_LENGTH = 16;

function quotes(text: string, content: string): boolean {
  if (content !== '' && text.includes(content)) return true;
  for (let at = 0; at + MIN_QUOTE_LENGTH <= text.length; at += 1)
    if (content.includes(text.slice(at, at + MIN_QUOTE_LENGTH))) return true;
  return false;
}
