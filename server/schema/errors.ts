import type { ErrorBody, ErrorCode } from '../types.ts';

/** One table of codes (INTERFACE.md, Conventions). */
const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  bad_json: 400,
  unauthorized: 401,
  forbidden: 403,
  forbidden_origin: 403,
  other_user: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid_field: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  model_failed: 502,
  upstream_failed: 502,
  unavailable: 503,
  model_timeout: 504,
  upstream_timeout: 504,
  disk_full: 507,
};

export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[];

interface RefusalOptions {
  field?: string;
  /** Seconds; also sent as `Retry-After`. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Disk or database take nothing at the moment: visitors are told that. Says nothing of what was sent before, which may be stored. */
  unstored?: boolean;
  /** The database was lost before it replied: what a request was to change may be stored. */
  mayBeStored?: boolean;
  /** For the log alone, never for the caller. */
  cause?: unknown;
}

/** A fault that has a sentence for the caller. Everything else thrown is a 500 with the request id and nothing more. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;
  readonly unstored: boolean;
  readonly mayBeStored: boolean;
  readonly headers: Record<string, string>;
  /** Its cause stands in the log already. */
  logged = false;

  constructor(code: ErrorCode, sentence: string, extra: RefusalOptions = {}) {
    super(sentence, { cause: extra.cause });
    this.code = code;
    this.status = STATUS[code];
    this.field = extra.field;
    this.retryAfter = extra.retryAfter;
    this.unstored = extra.unstored ?? false;
    this.mayBeStored = extra.mayBeStored ?? false;
    this.headers = { ...extra.headers };
    if (extra.retryAfter !== undefined) this.headers['Retry-After'] = String(extra.retryAfter);
  }

  body(): ErrorBody {
    return {
      error: this.message,
      code: this.code,
      ...(this.field === undefined ? {} : { field: this.field }),
      ...(this.code === 'rate_limited' && this.retryAfter !== undefined ? { retry_after: this.retryAfter } : {}),
    };
  }
}

export const notFound = (what: string): Refusal => new Refusal('not_found', `no such ${what}`);

export const invalid = (field: string, sentence: string): Refusal => new Refusal('invalid_field', sentence, { field });

/** What the operating system says where nothing can be stored, or no file opened. */
const DISK_FAULTS: Record<string, [code: ErrorCode, sentence: string]> = {
  ENOSPC: ['disk_full', 'the disk of the server is full'],
  EDQUOT: ['disk_full', 'the disk quota of the server is used up'],
  EROFS: ['unavailable', 'the disk of the server is read-only'],
  EIO: ['unavailable', 'the disk of the server fails'],
  EMFILE: ['unavailable', 'the server has too many files open'],
  ENFILE: ['unavailable', 'the machine of the server has too many files open'],
};

/** Seconds after which a caller may try again what the disk has refused. */
const DISK_RETRY_SECONDS = 5;

/** A refusal as it is, and what a disk that stores nothing throws, as the caller may know it; `left` says what that leaves. */
export function asRefusal(error: unknown, left = 'nothing was stored'): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const fault = DISK_FAULTS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  if (!fault) return undefined;
  const [code, sentence] = fault;
  const retry = code === 'unavailable' ? { retryAfter: DISK_RETRY_SECONDS } : {};
  return new Refusal(code, `${sentence}; ${left}`, { cause: error, unstored: true, ...retry });
}
