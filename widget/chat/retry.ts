import type { VisitorMessage } from '../../server/types.ts';
import type { Chat } from './types.ts';
import { parseObject, readCitations } from '../browser/citations.ts';
import type { Failure } from '../client/client.ts';
import { readDocument } from '../browser/read-document.ts';
import type { StoredChat } from '../browser/storage.ts';
import { hasEnded, statusOf } from './status.ts';
import type { Turn } from './turn.ts';

/** Consecutive connections without text after which the answer fails. */
const MAX_TRIES = 6;
const LEAST_FIRST_WAIT_MS = 200;
const POLL_MS = 200;
/** Text is drawn at most so often: a frame for each would paint twice as much, for what no eye sees. */
const DRAW_EVERY_MS = 32;

/** An answer made again is the same within milliseconds where it is quoted: the visitor sees for so long that it is looked for. */
const AGAIN_MS = 400;

/** HTTP statuses of a question that is refused for what it is: it is not kept, as it would be refused again at each load. */
const REFUSED = /400|413|415|422|431/;

/** Waits `ms`, or until the conversation is cleared. */
const sleep = (ms: number, { controller: { signal } }: Chat): Promise<unknown> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { signal: AbortSignal.timeout(ms) });
  });

/** Adds the turn's question to the stored unsent ones, or removes it, and merges `more` in the same write. */
export function saveQuestion(
  { storage }: Chat,
  { query, id, session, replaces, variables, at }: Turn,
  isUnsent: boolean,
  more?: StoredChat,
): void {
  storage.write({
    sent: { ...storage.read().sent, [id]: isUnsent ? { query, id, session, replaces, variables, at } : undefined },
    ...more,
  });
}

/** False for a turn that was cleared, removed as a duplicate, or cannot be drawn: its stream is dropped. */
const isShown = ({ turns }: Chat, turn: Turn): boolean =>
  turn.status.peek().is !== 'failed' && turns.peek().includes(turn);

/** Sets a turn to the server's record of it. */
export function applyRecord(turn: Turn, record: VisitorMessage): void {
  const { text, citations, feedback, status } = turn;
  const { confirm, confirmed } = record;
  turn.record = record;
  if (confirm) turn.pending = { ...confirm, until: Date.now() + confirm.expires_in * 1000 };
  if (confirmed) turn.pending = { ...confirmed, until: Infinity };
  text.value = record.response ?? text.peek();
  citations.value = readCitations(record.cite_data_json);
  feedback.value = parseObject(record.feedback_json);
  status.value = statusOf(record.finish_reason, text.peek());
}

/** Streams a turn's answer until it ends, reconnecting with back-off; overlapping text is skipped, so no character comes twice. */
export async function streamAnswer(chat: Chat, turn: Turn): Promise<void> {
  const { client } = chat;
  const { status, text } = turn;
  const isSeen = turn.earlier && sleep(AGAIN_MS, chat);
  let unpainted = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = (): boolean => hasEnded(status.peek()) || !isShown(chat, turn);
  const paint = (): void => {
    timer = undefined;
    if (!unpainted || isOver()) return;
    turn.last = unpainted;
    text.value += unpainted;
    unpainted = '';
    // Set once, not per piece: each new object would render the turn's views again.
    if (status.peek().is !== 'streaming') status.value = { is: 'streaming' };
  };
  for (let tries = 0; !isOver(); tries++) {
    const isReady = turn.message || (await chat.prepare());
    if (isOver()) return;
    if ((isReady as Failure).code) return void failTurn(chat, turn, isReady as Failure);
    if (!turn.message) {
      turn.session ??= chat.storage.read().session ?? '';
      saveQuestion(chat, turn, true);
    }
    const { signal } = chat.controller;
    chat.latest.value = turn;
    // Without a message uuid the same question is sent again: its `id` lets the server recognise it.
    const events = turn.message
      ? client.resume(turn, text.peek().length, signal)
      : isReady
        ? client.ask(turn, signal, chat.locale.peek()?.tags)
        : [];
    for await (const { event, id, data } of events) {
      await isSeen;
      if (!isShown(chat, turn)) return;
      if (event === 'delta') {
        const known = text.peek().length + unpainted.length;
        const from = id - data.text.length;
        // A gap in the text: reconnect from the known offset.
        if (from > known) break;
        unpainted += data.text.slice(known - from);
        tries = 0;
        // requestAnimationFrame does not fire in a hidden tab.
        if (readDocument('hidden')) paint();
        else timer ||= setTimeout(requestAnimationFrame, DRAW_EVERY_MS, paint);
      } else paint();
      if (event === 'session') turn.session = data.uuid;
      if (event === 'message') setMessage(chat, turn, data.uuid);
      if (event === 'step' && !isOver()) status.value = { is: 'waiting', message: data.name };
      if (event === 'done') return completeTurn(chat, turn, data);
      if (event === 'error') {
        // The session was deleted on the server, not: the chatbot is private. Send the question again without one.
        if (/such session/.test(`${data.error}`) && turn.session && !turn.message) turn.session = '';
        // A gateway's error page, or a server that stops or whose database is away: retry as after a broken connection. A resume
        // is answered from what is stored, whatever was wrong a moment ago.
        else if (!(data.status! >= 500 && (turn.message || /bad_answer|unavailable/.test(data.code))))
          return void failTurn(chat, turn, data);
      }
    }
    paint();
    if (isOver()) return;
    if (tries >= MAX_TRIES) return void failTurn(chat, turn, { code: 'network' });
    status.value = { is: navigator.onLine ? 'reconnecting' : 'offline' };
    // Exponential back-off with jitter: up to twice the least wait.
    const until = performance.now() + LEAST_FIRST_WAIT_MS * 2 ** tries * (1 + Math.random());
    while (!isOver() && (performance.now() < until || !navigator.onLine)) await sleep(POLL_MS, chat);
  }
}

/** Stores the message uuid of a turn, and removes a turn for the same message that was loaded from the history meanwhile. */
function setMessage(chat: Chat, turn: Turn, message: string): void {
  const { turns } = chat;
  turn.message = message;
  turns.value = turns.peek().filter((one) => one === turn || one.message !== message);
  saveQuestion(chat, turn, false, { session: turn.session, last: message });
  // The visitor stopped it before the uuid was known.
  if (hasEnded(turn.status.peek())) sendStop(chat, turn);
}

function completeTurn({ emit }: Chat, turn: Turn, record: VisitorMessage): void {
  const { query, response, finish_reason } = record;
  applyRecord(turn, record);
  emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
}

/** Ends a turn with an error, on a rate limit with a countdown. A turn that has already ended keeps its status. */
async function failTurn(chat: Chat, turn: Turn, failure: Failure): Promise<void> {
  const { code, status: http } = failure;
  const { status } = turn;
  if (hasEnded(status.peek())) return;
  turn.failure = failure;
  if (REFUSED.test(`${http}`)) saveQuestion(chat, turn, false);
  const limit = code === 'rate_limited' && (await import('./limit.ts').catch(chat.report));
  if (limit) return limit.countDown(chat, turn, failure, { saveQuestion, applyRecord, isShown, sleep });
  // Visitors read the same sentence for both; the site's developer finds the difference in the console.
  status.value = { is: 'failed', reason: code === 'forbidden_origin' ? 'not_found' : code };
  chat.report(failure);
}

const sendStop = ({ client, report }: Chat, turn: Turn): void => void client.post(turn, 'stop').catch(report);

/** Stops all answers in progress; their text so far stays. */
export function stopAnswers(chat: Chat): void {
  for (const turn of chat.turns.peek()) {
    if (hasEnded(turn.status.peek())) continue;
    turn.status.value = { is: 'done', reason: 'stopped' };
    if (turn.message) sendStop(chat, turn);
    else saveQuestion(chat, turn, false);
  }
}
