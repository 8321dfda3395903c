import type { Logger } from 'pino';
import type { Clock } from '../schema/ids.ts';
import { CompletionRequest, type AnswerLimits, type Endpoint } from './completion-request.ts';
import { Connections, type TIMEOUTS } from '../outbound/connections.ts';
import type { Model } from './model.ts';

interface OpenAiOptions {
  /** Without `/chat/completions`, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** What is sent where `nameAtServer` knows no other name. */
  model: string;
  nameAtServer?: (model: string) => string | undefined;
  apiKey: string | undefined;
  log: Logger;
  clock?: Clock;
  timeouts?: Partial<typeof TIMEOUTS>;
  limits?: Partial<AnswerLimits>;
}

/**
 * A model that reasons shows nothing for long: three times as long as a server may be silent. Between two words it has no
 * reason to.
 */
const LIMITS: AnswerLimits = { firstToken: 60_000, betweenTokens: 30_000, whole: 120_000 };

/**
 * A client of `POST …/chat/completions` with streaming. The operator named the address, so the address guard does not
 * apply. `totalTokens` is the server's own count, or a quarter of the characters where it sends none.
 */
export function createOpenAi({ baseUrl, model, apiKey, log, clock = Date.now, ...more }: OpenAiOptions): Model {
  const { timeouts, limits, nameAtServer } = more;
  const url = new URL(baseUrl);
  const connections = new Connections(url.origin, timeouts);
  const headers = ['content-type', 'application/json', 'accept', 'text/event-stream'];
  if (apiKey) headers.push('authorization', `Bearer ${apiKey}`);
  const endpoint: Endpoint = {
    connections,
    path: `${url.pathname.replace(/\/+$/, '')}/chat/completions${url.search}`,
    headers,
    nameOf: (named = '') => nameAtServer?.(named) ?? model,
    apiKey,
    log,
    clock,
    support: new Map(),
    limits: { ...LIMITS, ...limits },
  };
  return {
    generate: (request, onText) => new CompletionRequest(endpoint, request, onText),
    close: () => connections.close(),
  };
}
