import type { VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import { asFailure, Failure, newId, type Client, type Question } from './client.ts';
import type { Memory } from './memory.ts';
import { createPaint } from './paint.ts';
import { follow, type FollowEvent, type Known } from './resume.ts';
import { hasEnded, statusOf } from './status.ts';
import type { Emit, Turn } from './turn.ts';

/** What answers need of the chat around them. */
export interface Way {
  client: Client;
  memory: Memory;
  emit: Emit;
  onStart(turn: Turn): void;
}

/** An answer being made. */
interface Run {
  question: Question;
  known: Known;
  /** Its end; or its stop, when nobody waits for the end. */
  make(): Promise<void>;
  stop(): void;
  drop(): void;
}

/** The answers being made, one after another: a later question may lean on an earlier answer. */
export interface Answers {
  /** Asks the turn's question, or takes up what is known of its answer. */
  start(turn: Turn, known?: Known): void;
  /** The same again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void;
  /** Stops all; what is written of them stays. */
  stop(): void;
  /** Forgets all, at once and without a word. */
  drop(): void;
}

export function createAnswers({ client, memory, emit, onStart }: Way): Answers {
  const runs = new Map<Turn, Run>();
  let queue = Promise.resolve();

  function enqueue(turn: Turn, question: Question, known: Known): void {
    const run = createRun(turn, question, known);
    runs.set(turn, run);
    queue = queue.then(run.make);
  }

  function start(turn: Turn, known: Known = { from: 0 }): void {
    enqueue(turn, { query: turn.query, id: newId(), session: known.message && known.session }, known);
  }

  function retry(turn: Turn): void {
    const run = runs.get(turn);
    const status = turn.status.peek();
    if (!hasEnded(status)) return;
    run?.drop();
    turn.status.value = { is: 'waiting' };
    if (run && status.reason === 'network') return enqueue(turn, run.question, run.known);
    turn.text.value = '';
    start(turn);
  }

  function createRun(turn: Turn, question: Question, known: Known): Run {
    const { status, text, citations } = turn;
    const abort = new AbortController();
    const { signal } = abort;
    let unpainted = '';
    let isStopped = false;
    let leave = (): void => undefined;
    let clock: ReturnType<typeof setInterval> | undefined;

    const paint = createPaint(() => {
      if (!unpainted) return;
      text.value += unpainted;
      unpainted = '';
      if (status.peek().is !== 'streaming') status.value = { is: 'streaming' };
    });

    async function answer(): Promise<void> {
      if (isStopped || signal.aborted) return;
      onStart(turn);
      if (!known.message) {
        question.session ??= known.session ? undefined : memory.read().session;
        memory.write({ asked: question.query });
      }
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
      memory.write({ asked: undefined });
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
      status.value = { is: 'reconnecting' };
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
      report(emit, failure);
    }

    /** The server no longer knows the session: the question starts a new one. */
    function askWithout(session: string): void {
      if (memory.read().session === session) memory.write({ session: undefined });
      start(turn);
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
      memory.write({ asked: undefined });
      emit('rate-limit', { message, retry_after });
    }

    function stop(): void {
      const { is } = status.peek();
      isStopped = true;
      // The stream itself tells the end of an answer that was stopped; where there is no stream, nobody waits for it.
      if (known.message) tellStop();
      if (!known.message || is === 'reconnecting') showStopped();
      if (is === 'reconnecting') abort.abort();
    }

    function showStopped(): void {
      paint.flush();
      status.value = { is: 'done', reason: 'stopped' };
      leave();
    }

    return {
      question,
      known,
      make: () => Promise.race([answer(), new Promise<void>((resolve) => (leave = resolve))]),
      stop,
      drop() {
        abort.abort();
        clearInterval(clock);
        paint.flush();
      },
    };
  }

  function stop(): void {
    for (const [turn, run] of runs) if (!hasEnded(turn.status.peek())) run.stop();
  }

  function drop(): void {
    for (const run of runs.values()) run.drop();
    runs.clear();
    queue = Promise.resolve();
  }

  return { start, retry, stop, drop };
}

export function report(emit: Emit, { code, error, status }: Failure): void {
  emit('error', { code, error, status });
}
