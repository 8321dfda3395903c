import { signal } from '@preact/signals';
import type { ErrorBody } from '../../server/types.ts';

/** A request that failed: the sentence of the server, or that it could not be reached. */
export class Failure extends Error {
  /** HTTP status; 0 where no reply came. */
  readonly status: number;
  /** The field that is at fault, where there is one. */
  readonly field: string | undefined;

  constructor(text: string, status: number, { field }: Partial<ErrorBody> = {}) {
    super(asSentence(text));
    this.status = status;
    this.field = field;
  }
}

/** The server's errors are written to stand after a colon. */
const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;

const REPLY_MS = 30_000;
/** To change a record that others change at the same time. */
const MAX_TRIES = 9;

/** Called once for each reply 401, except those to whoever shows a key or a link: they say nothing of the sign-in. */
let signedOut = (): void => {};
export const onSignedOut = (listener: () => void): void => void (signedOut = listener);

/** Uuid of the user whose screens are there: they stay, out of sight, while a sign-in that ended is begun again. */
export const owner = signal('');

/** What the server says once another user is signed in, as in another tab, which has the same cookie; '' before. */
export const otherUser = signal('');

interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  /** A form is sent as multipart, everything else as JSON. */
  body?: object;
  signal?: AbortSignal;
  /** The `ETag` that the record has to have still. */
  ifMatch?: string | null;
  /** The reply takes as long as it takes: that of a model, or to a file. */
  isSlow?: boolean;
}

/** Sends a request to this server; rejects with a `Failure`, or with an `AbortError` once `signal` is aborted. */
async function send(
  path: string,
  { method = 'GET', body, signal: left, ifMatch, isSlow = false }: Call,
): Promise<Response> {
  const isForm = body instanceof FormData;
  const user = owner.value;
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    headers: {
      ...(user && { 'X-Docent-User': user }),
      ...(ifMatch && { 'If-Match': ifMatch }),
      ...(body && !isForm && { 'Content-Type': 'application/json' }),
    },
    signal: AbortSignal.any([...(isSlow ? [] : [AbortSignal.timeout(REPLY_MS)]), ...(left ? [left] : [])]),
  }).catch((error: unknown) => {
    if (left?.aborted) throw error;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new Failure(`The server has not answered within ${REPLY_MS / 1000} seconds. Try again.`, 0);
    throw new Failure('The server cannot be reached. Check your connection, then try again.', 0);
  });
  if (response.ok) return response;
  const fault = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  if (response.status === 401 && !/^\/console\/(?:session$|invitation)/.test(path)) signedOut();
  if (fault.code === 'other_user' && user === owner.value) otherUser.value = fault.error!;
  throw new Failure(fault.error ?? unsaid(response), response.status, fault);
}

/** Of replies without a sentence: that of a server in front, or a record that is there already. */
function unsaid({ status, headers }: Response): string {
  if (status === 409) return 'It is there already.';
  const said = status === 429 ? 'There were too many requests' : `The server answered ${status}`;
  // Any other is the same later.
  if (status < 429) return `${said}.`;
  const seconds = Number(headers.get('Retry-After'));
  return `${said}: try again ${seconds ? `in ${seconds} seconds` : 'later'}.`;
}

/** No JSON is what was cut off on its way, or was sent by another, such as the sign-in page of a network. */
const read = <T>(response: Response, signal?: AbortSignal): Promise<T> =>
  response.json().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Failure('The reply was cut off, or is not of this server. Check your connection, then try again.', 0);
  });

const json = async <T>(path: string, call: Call): Promise<T> => read<T>(await send(path, call), call.signal);

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => json(path, signal ? { signal } : {});
/** A page of a list; `next` is the address of the one behind it, '' behind the last. */
export async function getPage<T>(path: string, signal?: AbortSignal): Promise<{ list: T[]; next: string }> {
  const response = await send(path, signal ? { signal } : {});
  const next = /^<([^>]*)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1] ?? '';
  return { list: await read<T[]>(response, signal), next };
}

export const post = <T>(path: string, body: object = {}, options: Pick<Call, 'isSlow' | 'signal'> = {}): Promise<T> =>
  json(path, { method: 'POST', body, ...options });
export const remove = (path: string): Promise<unknown> => send(path, { method: 'DELETE' });

/**
 * Reads the record at `path`, and sends to `to` what `edit` makes of it: again where somebody else has changed it in between. `edit` may
 * refuse, by throwing.
 */
export async function update<T, R = T>(
  path: string,
  edit: (now: T) => object | Promise<object>,
  to = path,
): Promise<R> {
  for (let tries = 1; ; tries++) {
    const response = await send(path, {});
    const body = await edit(await read<T>(response));
    try {
      return await json<R>(to, { method: 'POST', body, ifMatch: response.headers.get('ETag') });
    } catch (error) {
      if (!(error instanceof Failure && error.status === 412 && tries < MAX_TRIES)) throw error;
    }
  }
}

/**
 * Refuses to write a list whole that somebody else has changed since it was read. `changes`, by their fields, are to be written; `before` is
 * what they were made from, `now` what is stored.
 */
export function refuseLost(changes: object, before: object, now: object): void {
  const [was, is] = [before, now].map((record) => (name: string) => JSON.stringify(Reflect.get(record, name)));
  if (Object.entries(changes).some(([name, value]) => typeof value === 'object' && was!(name) !== is!(name)))
    throw new Failure(
      'Somebody else has changed it meanwhile, and nothing was saved: reload the page, then change it again',
      412,
    );
}

/** Asks in a session, and resolves once the answer has ended; `onText` gets each piece of it. */
export async function ask(session: string, query: string, onText: (piece: string) => void): Promise<void> {
  const path = `/api/v1/session/${session}/message/stream`;
  const response = await send(path, { method: 'POST', body: { query }, isSlow: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Failure('The answer was cut off. Ask again.', 0);
    });
    if (done) return;
    onText(value);
  }
}

/** The routes of signing in. */
export const sessionPath = '/console/session';
export const signInsPath = '/console/sessions';
