import type { VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import type { Chat } from './chat.ts';
import { asFailure, Failure, isOffline, type Question } from './client.ts';
import { settle } from './history.ts';
import { createPaint } from './paint.ts';
import { follow, type FollowEvent } from './resume.ts';
import { statusOf } from './status.ts';
import type { Turn } from './turn.ts';

/** An answer being made. */
export interface Run {
  question: Question;
  /** Its end; or its stop, when nobody waits for the end. */
  make(): Promise<void>;
  stop(): void;
  /** Takes the question from those that still have to reach the server. */
  forget(): void;
  drop(): void;
}

export function createRun(chat: Chat, turn: Turn, question: Question): Run {
  const { client, memory, emit } = chat;
  const { status, text, citations, known } = turn;
  const abort = new AbortController();
  const { signal } = abort;
  let unpainted = '';
  let isStopped = false;
  let leave = (): void => undefined;
  let clock: ReturnType<typeof setInterval> | undefined;

  const paint = createPaint(() => {
    if (!unpainted) return;
    turn.last = unpainted;
    text.value += unpainted;
    unpainted = '';
    if (status.peek().is !== 'streaming') status.value = { is: 'streaming' };
  });

  const others = (): Question[] => (memory.read().sent ?? []).filter(({ id }) => id !== question.id);
  const keep = (): void => memory.write({ sent: [...others(), question] });
  const forget = (last = memory.read().last): void => {
    const sent = others();
    memory.write({ sent: sent[0] && sent, last });
  };

  async function answer(): Promise<void> {
    if (isStopped || signal.aborted) return;
    if (!known.message) {
      if (chat.consent.peek()) {
        forget();
        return chat.takeBack(turn);
      }
      if (!question.isOut) question.session = memory.read().session;
      question.isOut = true;
      keep();
    }
    chat.latest.value = turn;
    try {
      for await (const event of follow(client, question, known, signal)) if (!signal.aborted) take(event);
    } catch (fault) {
      if (!signal.aborted) fail(asFailure(fault));
    }
  }

  function take({ event, data }: FollowEvent): void {
    if (event === 'session') memory.write({ session: data.uuid });
    if (event === 'message') acknowledge();
    if (event === 'delta') {
      unpainted += data.text;
      paint.soon();
    }
    if (event === 'cut') cutOff();
    if (event === 'done') finish(data);
    if (event === 'error') fail(new Failure(data.code, data.error, 0, data.retry_after));
  }

  function acknowledge(): void {
    forget(known.message);
    settle(chat, turn);
    if (!isStopped) return;
    // Stopped before it had a name: now the server can be told.
    tellStop();
    abort.abort();
  }

  function tellStop(): void {
    client.stop(known.session!, known.message!).catch(() => {
      showStopped();
      abort.abort();
    });
  }

  function cutOff(): void {
    if (isStopped) return abort.abort();
    paint.flush();
    status.value = { is: 'reconnecting', reason: isOffline() ? 'offline' : undefined };
  }

  function finish(message: VisitorMessage): void {
    const { query, response, finish_reason } = message;
    paint.flush();
    text.value = response;
    citations.value = readCitations(message.cite_data_json);
    status.value = statusOf(finish_reason || 'stop');
    emit('answer', { query, response, finish_reason, citations: citations.peek() });
  }

  function fail(failure: Failure): void {
    const { code, status: http } = failure;
    const { session } = question;
    if (isStopped) return showStopped();
    paint.flush();
    if (http === 404 && session && !known.message) return askWithout(session);
    if (code === 'rate_limited') return limit(failure);
    status.value = { is: 'failed', reason: code };
    chat.tell(failure);
  }

  /** The server no longer knows the session: the question starts a new one. */
  function askWithout(session: string): void {
    forget();
    if (memory.read().session === session) memory.write({ session: undefined, last: undefined });
    chat.askAgain(turn);
  }

  function limit({ error: message, retry_after = 60 }: Failure): void {
    const until = Date.now() + retry_after * 1000;
    const tick = (): void => {
      const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      status.value = { is: 'limited', message, left };
      if (!left) clearInterval(clock);
    };
    clock = setInterval(tick, 1000);
    tick();
    emit('rate-limit', { message, retry_after });
  }

  function stop(): void {
    const { is } = status.peek();
    isStopped = true;
    // The stream itself tells the end of an answer that was stopped; where there is no stream, nobody waits for it.
    if (known.message) tellStop();
    else forget();
    if (!known.message || is === 'reconnecting') showStopped();
    if (is === 'reconnecting') abort.abort();
  }

  function showStopped(): void {
    paint.flush();
    status.value = { is: 'done', reason: 'stopped' };
    leave();
  }

  if (!known.message) keep();

  return {
    question,
    make: () => Promise.race([answer(), new Promise<void>((resolve) => (leave = resolve))]),
    stop,
    forget,
    drop() {
      abort.abort();
      clearInterval(clock);
      paint.flush();
    },
  };
}
