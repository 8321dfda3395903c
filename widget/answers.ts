import type { VisitorMessage } from '../server/types.ts';
import type { Chat } from './chat.ts';
import { readCitations } from './citations.ts';
import type { Failure } from './client.ts';
import type { Remembered } from './memory.ts';
import { hasEnded, statusOf } from './status.ts';
import type { Turn } from './turn.ts';

/** Connections in a row that brought no text before the answer counts as failed. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const OFFLINE_WAIT_MS = 30_000;

/** The network's return ends it; after `signal` it has no end. */
const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    addEventListener('online', resolve, { once: true, signal });
    signal.addEventListener('abort', () => clearTimeout(timer));
  });

/** What still has to reach the server, with the turn's question or without it. */
export function unsent({ memory }: Chat, { query, id, session, at }: Turn, isUnsent: boolean): Remembered {
  return { sent: { ...memory.read().sent, [id]: isUnsent ? { query, id, session, at } : undefined } };
}

/** What the server has of a turn. */
export function show({ text, citations, feedback, status }: Turn, record: VisitorMessage): void {
  text.value = record.response;
  citations.value = readCitations(record.cite_data_json);
  feedback.value = JSON.parse(record.feedback_json) as typeof feedback.value;
  status.value = statusOf(record.finish_reason);
}

/** Makes a turn's answer to its end, through any number of cut connections, each character once. */
export async function answer(chat: Chat, turn: Turn, signal: AbortSignal): Promise<void> {
  const { client, memory } = chat;
  const { status, text } = turn;
  let unpainted = '';
  let frame = 0;
  const isOver = (): boolean => signal.aborted || hasEnded(status.peek());
  const paint = (): void => {
    frame = 0;
    if (!unpainted || isOver()) return;
    turn.last = unpainted;
    text.value += unpainted;
    unpainted = '';
    status.value = { is: 'streaming' };
  };
  for (let tries = 0; !isOver(); tries++) {
    if (!turn.message) {
      turn.session ??= memory.read().session ?? '';
      memory.write(unsent(chat, turn, true));
    }
    chat.latest.value = turn;
    // Where the message has no name yet the very same question is sent again: its `id` makes that one message.
    const events = turn.message ? client.resume(turn, text.peek().length, signal) : client.ask(turn, signal);
    for await (const event of events) {
      if (signal.aborted) return;
      if (event.event === 'session') turn.session = event.data.uuid;
      if (event.event === 'message') name(chat, turn, event.data.uuid);
      if (event.event === 'delta') {
        const known = text.peek().length + unpainted.length;
        const from = event.id - event.data.text.length;
        // Something between is missing: that is a cut too.
        if (from > known) break;
        unpainted += event.data.text.slice(known - from);
        tries = 0;
        // A hidden tab has no frames.
        if (document.hidden) paint();
        else frame ||= requestAnimationFrame(paint);
      } else paint();
      if (event.event === 'done') return finish(chat, turn, event.data);
      if (event.event === 'error') {
        const { status: http = 0 } = event.data;
        // The server no longer knows the session: the question begins a new one.
        if (http === 404 && turn.session && !turn.message) turn.session = '';
        else if (http < 500 || !turn.message) return fail(chat, turn, event.data, signal);
      }
    }
    paint();
    if (isOver()) return;
    if (!navigator.onLine) tries = 0;
    if (tries >= MOST_TRIES) return fail(chat, turn, { code: 'network' }, signal);
    status.value = { is: 'reconnecting', reason: !navigator.onLine ? 'offline' : undefined };
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
    await pause(!navigator.onLine ? OFFLINE_WAIT_MS : most * (0.5 + Math.random() / 2), signal);
  }
}

/** The server has named the turn's message: here it is once, whoever else has told of it. */
function name(chat: Chat, turn: Turn, message: string): void {
  const { turns, memory } = chat;
  turn.message = message;
  turns.value = turns.peek().filter((one) => one === turn || one.message !== message);
  memory.write({ ...unsent(chat, turn, false), session: turn.session, last: message });
  // Stopped before it had a name: now the server can be told.
  if (hasEnded(turn.status.peek())) tellStop(chat, turn);
}

function finish({ emit }: Chat, turn: Turn, record: VisitorMessage): void {
  const { query, response, finish_reason } = record;
  show(turn, record);
  emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
}

function fail(chat: Chat, turn: Turn, failure: Failure, signal: AbortSignal): void {
  const { code } = failure;
  if (hasEnded(turn.status.peek())) return;
  if (code === 'rate_limited') return void limit(chat, turn, failure, signal);
  turn.status.value = { is: 'failed', reason: code };
  chat.tell(failure);
}

async function limit(
  { emit }: Chat,
  { status }: Turn,
  { error: message = '', retry_after = 60 }: Failure,
  signal: AbortSignal,
): Promise<void> {
  const until = Date.now() + retry_after * 1000;
  emit('rate-limit', { message, retry_after });
  for (;;) {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    status.value = { is: 'limited', message, left };
    if (!left) return;
    await pause(1000, signal);
  }
}

const tellStop = ({ client }: Chat, turn: Turn): void => void client.stop(turn).catch(() => undefined);

/** Stops the answers being made; what is written of them stays. */
export function stop(chat: Chat): void {
  for (const turn of chat.turns.peek()) {
    if (hasEnded(turn.status.peek())) continue;
    turn.status.value = { is: 'done', reason: 'stopped' };
    if (turn.message) tellStop(chat, turn);
    else chat.memory.write(unsent(chat, turn, false));
  }
}
