import { parseObject } from './completion.ts';
import { ModelFailure } from './model.ts';

/** How a model server fails, in the words of this one. Causes are for the log: no key and nothing of the question. */

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** `why` is for the log alone; `reason` as in `ModelFailure`. */
export const modelFailed = (why: string, reason = 'bad_reply'): ModelFailure =>
  new ModelFailure(reason, 'model_failed', 'the model could not answer; please try again', { cause: new Error(why) });

export const modelBusy = (retryAfter: number): ModelFailure =>
  new ModelFailure('busy', 'unavailable', 'the model has too much to do; please try again later', {
    retryAfter,
    cause: new Error('the model server answered 429'),
  });

export function connectionFailed(error: Error): ModelFailure {
  const why = `the model server: ${codeOf(error) || error.name}`;
  if (!TIMEOUT_CODES.has(codeOf(error))) return modelFailed(why, 'unreachable');
  return timedOut(why);
}

/** The model still writes, or thinks, when the time for an answer is over. */
export const tooLong = (): ModelFailure => timedOut('the answer was not whole after ANSWER_TIMEOUT');

const timedOut = (why: string): ModelFailure =>
  new ModelFailure('timeout', 'model_timeout', 'the model did not answer in time; please try again', {
    cause: new Error(why),
  });

export const wasReset = (error: Error): boolean => RESET_CODES.has(codeOf(error));

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? '';

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
