import { Refusal } from '../schema/errors.ts';

/** A server that the operator named failed: the refusal for the caller, and a reason for records and `/readyz`. */
export class OutboundFailure extends Refusal {
  /** `unreachable`, `timeout`, `busy`, `overloaded`, `bad_reply` or `status_` with the HTTP status: free of the server's own words. */
  readonly reason: string;

  constructor(reason: string, ...refusal: ConstructorParameters<typeof Refusal>) {
    super(...refusal);
    this.reason = reason;
  }
}

/** There is no whole reply. The message is for the log: it quotes neither the request nor the reply. */
export class ExchangeFailure extends Error {
  /** `timeout`: connecting, the first byte or the next chunk took too long; `deadline`: the whole reply did. */
  readonly kind: 'unreachable' | 'timeout' | 'deadline' | 'too_large';

  constructor(kind: ExchangeFailure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export function connectionFailure(error: Error): ExchangeFailure {
  const code = codeOf(error);
  return new ExchangeFailure(TIMEOUT_CODES.has(code) ? 'timeout' : 'unreachable', code || error.name);
}

export const isReset = (error: Error): boolean => RESET_CODES.has(codeOf(error));

/** Nothing listens at the address: the request has not been sent. */
export const isRefused = (error: Error): boolean => codeOf(error) === 'ECONNREFUSED';

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? '';
