import { readBody } from './body.ts';
import { asWebFailure, TooLarge } from './errors.ts';
import { createExchange, headerOf, type Reply } from './exchange.ts';
import { createBlockCheck, type GuardRules } from './guard.ts';

/** One request to a server that an owner named for a tool function. */
export interface Call {
  url: URL;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Names in lower case. Those that belong to the connection are not sent. */
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface CallReply {
  /** Any status but a redirect's. */
  status: number;
  text: string;
  /** It is a page for people: HTML by its type and its text. */
  isPage: boolean;
}

type CallReason = 'blocked' | 'timeout' | 'redirect' | 'too_large' | 'content_type' | 'unreachable';

/** The only error that `Caller.call` rejects with. Its message names neither address nor headers. */
export class CallFailure extends Error {
  readonly reason: CallReason;
  /** False where the server cannot have got the request. */
  readonly wasSent: boolean;

  constructor(reason: CallReason, cause?: unknown) {
    super(REASONS[reason], { cause });
    this.reason = reason;
    this.wasSent = reason !== 'blocked' && !NOT_CONNECTED.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
  }
}

/** Sends requests to addresses that owners named, with no robots.txt, cookies or credentials but the caller's headers. */
export interface Caller {
  /** Sends one request through the address guard. A redirect is refused: its target would get the headers. */
  call(call: Call, signal: AbortSignal): Promise<CallReply>;
  /** Whether the address guard refuses the address, as its name resolves now; false where it does not within a second. */
  isBlocked(url: URL): Promise<boolean>;
  /** Aborts requests under way. */
  close(): Promise<void>;
}

interface CallerOptions extends GuardRules {
  /** Milliseconds for a call, its body included; 10,000 by default. */
  timeout?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Of the decoded body. */
const MAX_REPLY_BYTES = 256 * 1024;
/** To one origin: one that hangs must not keep others from being asked. */
const CONNECTIONS_PER_TOOL_SERVER = 64;

const REASONS: Record<CallReason, string> = {
  blocked: 'the address of the function is not allowed',
  timeout: 'the function did not answer within 10 seconds',
  redirect: 'the function redirects to another address, which is not followed',
  too_large: 'the reply of the function is larger than 256 KB',
  content_type: 'the reply of the function is no text',
  unreachable: 'the function could not be reached',
};

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function createCaller({ timeout = DEFAULT_TIMEOUT_MS, ...rules }: CallerOptions): Caller {
  const exchange = createExchange(rules, 'Docent/0.1', CONNECTIONS_PER_TOOL_SERVER);
  return {
    async call({ url, method, headers, body }, signal) {
      const deadline = AbortSignal.timeout(timeout);
      const ending = AbortSignal.any([signal, deadline]);
      try {
        ending.throwIfAborted();
        const reply = await exchange.ask(url, sendable(headers), ending, readReply, { method, body });
        if (reply instanceof URL) throw new CallFailure('redirect');
        return reply;
      } catch (error) {
        throw failureOf(error, deadline.aborted);
      }
    },
    isBlocked: createBlockCheck(rules),
    close: () => exchange.close(),
  };
}

/** Headers that Node or the address guard set, and those that undici throws for. */
const OF_CONNECTION = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

const sendable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name) && !name.startsWith('proxy-')),
  );

const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|x-www-form-urlencoded|[\w.+-]+\+(?:json|xml))$|$)/;

async function readReply(reply: Reply): Promise<CallReply> {
  const [type = '', ...parameters] = headerOf(reply, 'content-type').toLowerCase().split(';');
  if (!TEXT.test(type.trim())) throw new CallFailure('content_type');
  const body = await readBody(reply.body, headerOf(reply, 'content-encoding'), MAX_REPLY_BYTES);
  const text = decode(body, parameters);
  // Many servers send JSON and plain text with the type of HTML, too.
  return { status: reply.statusCode, text, isPage: HTML.test(type.trim()) && text.trimStart().startsWith('<') };
}

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;

function decode(body: Buffer, parameters: string[]): string {
  const charset = parameters.map((one) => /^\s*charset="?([\w.:-]+)"?\s*$/.exec(one)?.[1]).find(Boolean);
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(body);
  } catch {
    return body.toString('utf8');
  }
}

function failureOf(error: unknown, isLate: boolean): CallFailure {
  if (error instanceof CallFailure) return error;
  if (isLate) return new CallFailure('timeout', error);
  const failure = asWebFailure(error);
  if (failure instanceof TooLarge) return new CallFailure('too_large', error);
  return new CallFailure(failure.reason === 'blocked address' ? 'blocked' : 'unreachable', error);
}
