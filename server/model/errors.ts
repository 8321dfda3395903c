import type { ExchangeFailure } from '../outbound/failures.ts';
import { parseObject } from './completion.ts';
import { ModelFailure } from './model.ts';

/** Errors of a model server. Causes are for the log: they hold no key and nothing of the question. */

/** `why` goes to the log only; `reason` as in `ModelFailure`. */
export const modelFailed = (why: string, reason = 'bad_reply'): ModelFailure =>
  new ModelFailure(reason, 'model_failed', 'the model could not answer; please try again', { cause: new Error(why) });

/** `retryAfter` in seconds. */
export const modelBusy = (retryAfter = 5): ModelFailure =>
  new ModelFailure('busy', 'unavailable', 'the model has too much to do; please try again later', {
    retryAfter,
    cause: new Error('the model server answered 429'),
  });

export function exchangeFailed({ kind, message }: ExchangeFailure): ModelFailure {
  const why = `the model server: ${message}`;
  if (kind === 'timeout' || kind === 'deadline') return timedOut(why);
  return modelFailed(why, kind === 'too_large' ? 'bad_reply' : kind);
}

/** The model still writes, or thinks, when the time for an answer is over. */
export const answerTooLate = (): ModelFailure => timedOut('the answer was not whole after ANSWER_TIMEOUT');

const timedOut = (why: string): ModelFailure =>
  new ModelFailure('timeout', 'model_timeout', 'the model did not answer in time; please try again', {
    cause: new Error(why),
  });

/**
 * The sentence of an error body, for the log: short, without the key, and not at all where it quotes the request (many
 * servers send a refused body back).
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

const QUOTE = 16;

function quotes(text: string, content: string): boolean {
  if (content !== '' && text.includes(content)) return true;
  for (let at = 0; at + QUOTE <= text.length; at += 1) if (content.includes(text.slice(at, at + QUOTE))) return true;
  return false;
}
