import type { VisitorMessage } from '../../server/types.ts';
import type { Chat } from './types.ts';
import { readCitations } from '../browser/citations.ts';
import type { Failure, WireEvent } from '../client/client.ts';
import type { StoredChat } from '../browser/storage.ts';
import { hasEnded, statusOf } from './status.ts';
import type { Turn } from './turn.ts';

/** Connections in a row that brought no text before the answer counts as failed. */
const MAX_TRIES = 6;
const FIRST_WAIT_MS = 400;
const POLL_MS = 200;

/** Waits, but no longer than what is shown stays. */
const sleep = (ms: number, { controller: { signal } }: Chat): Promise<unknown> =>
  new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve(0);
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
  });

/** Keeps the turn's question among those that still have to reach the server, or no longer; and what else is to be remembered. */
export function saveQuestion(
  { storage }: Chat,
  { query, id, session, at }: Turn,
  isUnsent: boolean,
  more?: StoredChat,
): void {
  storage.write({ sent: { ...storage.read().sent, [id]: isUnsent ? { query, id, session, at } : undefined }, ...more });
}

/** What is no longer shown is left, and what is shown twice is made once. */
const isShown = ({ turns }: Chat, turn: Turn): boolean => turns.peek().includes(turn);

/** What the server has of a turn. */
export function applyRecord({ text, citations, feedback, status }: Turn, record: VisitorMessage): void {
  text.value = record.response;
  citations.value = readCitations(record.cite_data_json);
  feedback.value = JSON.parse(record.feedback_json) as typeof feedback.value;
  status.value = statusOf(record.finish_reason);
}

/** Makes a turn's answer to its end, through any number of cut connections, each character once. */
export async function streamAnswer(chat: Chat, turn: Turn): Promise<void> {
  const { client } = chat;
  const { status, text } = turn;
  let unpainted = '';
  let frame = 0;
  const isOver = (): boolean => hasEnded(status.peek()) || !isShown(chat, turn);
  const paint = (): void => {
    frame = 0;
    if (!unpainted || isOver()) return;
    turn.last = unpainted;
    text.value += unpainted;
    unpainted = '';
    // Once: what goes by it is drawn anew.
    if (status.peek().is !== 'streaming') status.value = { is: 'streaming' };
  };
  for (let tries = 0; !isOver(); tries++) {
    const isReady = turn.message || (await chat.prepare());
    if (isOver()) return;
    if (!turn.message) {
      turn.session ??= chat.storage.read().session ?? '';
      saveQuestion(chat, turn, true);
    }
    const { signal } = chat.controller;
    chat.latest.value = turn;
    // Where the message has no name yet the very same question is sent again: its `id` makes that one message.
    let events: AsyncIterable<WireEvent> | [] = [];
    if (turn.message) events = client.resume(turn, text.peek().length, signal);
    else if (isReady) events = client.ask(turn, signal);
    for await (const { event, id, data } of events) {
      if (!isShown(chat, turn)) return;
      if (event === 'delta') {
        const known = text.peek().length + unpainted.length;
        const from = id - data.text.length;
        // Something between is missing: that is a cut too.
        if (from > known) break;
        unpainted += data.text.slice(known - from);
        tries = 0;
        // A hidden tab has no frames.
        if (document.hidden) paint();
        else frame ||= requestAnimationFrame(paint);
      } else paint();
      if (event === 'session') turn.session = data.uuid;
      if (event === 'message') setMessage(chat, turn, data.uuid);
      if (event === 'done') return completeTurn(chat, turn, data);
      if (event === 'error') {
        const { status: http = 0 } = data;
        // The server no longer knows the session: the question begins a new one.
        if (http === 404 && turn.session && !turn.message) turn.session = '';
        // A gateway whose server is away speaks in its own words: that is no more than a cut.
        else if (http < 500 || !(turn.message || data.code === 'bad_answer')) return void failTurn(chat, turn, data);
      }
    }
    paint();
    if (isOver()) return;
    if (tries >= MAX_TRIES) return void failTurn(chat, turn, { code: 'network' });
    status.value = { is: navigator.onLine ? 'reconnecting' : 'offline' };
    // Back-off with jitter.
    const until = Date.now() + FIRST_WAIT_MS * 2 ** tries * (0.5 + Math.random() / 2);
    while (!isOver() && (Date.now() < until || !navigator.onLine)) await sleep(POLL_MS, chat);
  }
}

/** The server has named the turn's message: here it is once, whoever else has told of it. */
function setMessage(chat: Chat, turn: Turn, message: string): void {
  const { turns } = chat;
  turn.message = message;
  turns.value = turns.peek().filter((one) => one === turn || one.message !== message);
  saveQuestion(chat, turn, false, { session: turn.session, last: message });
  // Stopped before it had a name: now the server can be told.
  if (hasEnded(turn.status.peek())) sendStop(chat, turn);
}

function completeTurn({ emit }: Chat, turn: Turn, record: VisitorMessage): void {
  const { query, response, finish_reason } = record;
  applyRecord(turn, record);
  emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
}

/** Too many questions are an end with a countdown; an answer that was stopped has had its end. */
export async function failTurn(chat: Chat, turn: Turn, failure: Failure): Promise<void> {
  const { code, error: message = '', retry_after = 60 } = failure;
  const { status } = turn;
  const until = Date.now() + retry_after * 1000;
  if (hasEnded(status.peek())) return;
  if (code !== 'rate_limited') {
    // A chat that is not for this page is none to a visitor.
    status.value = { is: 'failed', reason: code === 'forbidden_origin' ? 'not_found' : code };
    return chat.report(failure);
  }
  chat.emit('rate-limit', { message, retry_after });
  while (isShown(chat, turn)) {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    status.value = { is: 'limited', message, left };
    if (!left) return;
    await sleep(1000, chat);
  }
}

const sendStop = ({ client, report }: Chat, turn: Turn): void => void client.stop(turn).catch(report);

/** Stops the answers being made; what is written of them stays. */
export function stopAnswers(chat: Chat): void {
  for (const turn of chat.turns.peek()) {
    if (hasEnded(turn.status.peek())) continue;
    turn.status.value = { is: 'done', reason: 'stopped' };
    if (turn.message) sendStop(chat, turn);
    else saveQuestion(chat, turn, false);
  }
}
