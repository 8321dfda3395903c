import type { ChatEvent, VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import { Failure, newId, type Client, type Question } from './client.ts';
import type { Memory } from './memory.ts';
import { createPaint, type Paint } from './paint.ts';
import { follow, type Known } from './resume.ts';
import { statusOf, type Status } from './status.ts';
import { hasEnded, type Emit, type Turn } from './turn.ts';

/** What answers need of the chat around them. */
export interface Way {
  client: Client;
  memory: Memory;
  emit: Emit;
  onStart(turn: Turn): void;
  onLimit(): void;
}

/** What is known of an answer while it is made. */
export interface Run {
  turn: Turn;
  question: Question;
  known: Known;
  /** Text that came and is not painted yet. */
  unpainted: string;
  paint: Paint;
  abort: AbortController;
  /** The visitor wants no more of it. */
  isStopped: boolean;
  /** Resolved when the next question need not wait for this one. */
  left: Promise<void>;
  leave: () => void;
}

function createRun(): Pick<Run, 'unpainted' | 'abort' | 'isStopped' | 'left' | 'leave'> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  return { unpainted: '', abort: new AbortController(), isStopped: false, left, leave };
}

export const asFailure = (fault: unknown): Failure =>
  fault instanceof Failure ? fault : new Failure('bad_answer', String(fault));

export function report(emit: Emit, { code, error, status }: Failure): void {
  emit('error', { code, error, status });
}

/** The answers being made. */
export interface Answers {
  /** What is known of a turn that was asked here. */
  of(turn: Turn): Run | undefined;
  start(turn: Turn, question: Question, known: Known): void;
  /** Stops all; what is written of them stays. */
  stop(): void;
  /** Forgets all, at once and without a word. */
  drop(): void;
}

/** They are made one after another: a later question may lean on an earlier answer. */
export function createAnswers({ client, memory, emit, onStart, onLimit }: Way): Answers {
  const runs = new Map<Turn, Run>();
  let queue: Promise<void> = Promise.resolve();

  function stop(): void {
    for (const run of runs.values()) if (!hasEnded(run.turn.status.peek())) stopRun(run);
  }

  function drop(): void {
    for (const run of runs.values()) {
      run.abort.abort();
      run.paint.flush();
    }
    runs.clear();
    queue = Promise.resolve();
  }

  function start(turn: Turn, question: Question, known: Known): void {
    const paint = createPaint(() => paintRun(run));
    const run: Run = { turn, question, known, paint, ...createRun() };
    runs.set(turn, run);
    queue = queue.then(() => Promise.race([answer(run), run.left]));
  }

  async function answer(run: Run): Promise<void> {
    if (run.abort.signal.aborted || run.isStopped) return;
    onStart(run.turn);
    if (!run.known.message) {
      run.question.session ??= run.known.session ? undefined : memory.read().session;
      memory.write({ asked: run.question.query });
    }
    try {
      const { signal } = run.abort;
      for await (const event of follow(client, run.question, run.known, signal)) take(run, event);
    } catch (fault) {
      fail(run, asFailure(fault));
    }
  }

  function take(run: Run, event: ChatEvent | { event: 'cut' }): void {
    if (run.abort.signal.aborted) return;
    if (event.event === 'session') memory.write({ session: (run.known.session = event.data.uuid) });
    else if (event.event === 'message') acknowledge(run, event.data.uuid);
    else if (event.event === 'delta') append(run, event.data.text);
    else if (event.event === 'cut') cutOff(run);
    else if (event.event === 'done') finish(run, event.data);
    else if (event.event === 'error')
      fail(run, new Failure(event.data.code, event.data.error, 0, event.data.retry_after));
  }

  function acknowledge(run: Run, message: string): void {
    run.known = { ...run.known, session: run.known.session ?? run.question.session, message };
    memory.write({ asked: undefined });
    if (!run.isStopped) return;
    // Stopped before it had a name: now the server can be told.
    client.stop(run.known.session ?? '', message).catch(() => undefined);
    run.abort.abort();
  }

  function cutOff(run: Run): void {
    if (run.isStopped) return run.abort.abort();
    run.paint.flush();
    set(run, { is: 'reconnecting' });
  }

  function append(run: Run, text: string): void {
    run.known.from += text.length;
    run.unpainted += text;
    run.paint.soon();
  }

  function paintRun(run: Run): void {
    if (!run.unpainted) return;
    run.turn.text.value += run.unpainted;
    run.unpainted = '';
    set(run, { is: 'streaming' });
  }

  function finish({ turn, paint }: Run, message: VisitorMessage): void {
    paint.flush();
    turn.text.value = message.response;
    turn.citations.value = readCitations(message.cite_data_json);
    turn.status.value = statusOf(message.finish_reason || 'stop');
    const { query, response, finish_reason } = message;
    emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
  }

  function fail(run: Run, failure: Failure): void {
    if (run.abort.signal.aborted) return;
    if (run.isStopped) return showStopped(run);
    run.paint.flush();
    const { session } = run.question;
    if (failure.status === 404 && session && !run.known.message) return askWithout(run, session);
    if (failure.code === 'rate_limited') return limit(run, failure);
    set(run, { is: 'failed', code: failure.code });
    report(emit, failure);
  }

  /** The server no longer knows the session: the question starts a new one. */
  function askWithout(run: Run, session: string): void {
    if (memory.read().session === session) memory.write({ session: undefined });
    start(run.turn, { query: run.question.query, id: newId() }, { from: 0 });
  }

  function limit(run: Run, { error, retry_after = 60 }: Failure): void {
    const until = Date.now() + retry_after * 1000;
    set(run, { is: 'limited', message: error, until });
    memory.write({ asked: undefined });
    emit('rate-limit', { message: error, retry_after });
    onLimit();
  }

  function stopRun(run: Run): void {
    const isCut = run.turn.status.peek().is === 'reconnecting';
    const { session, message } = run.known;
    run.isStopped = true;
    // The stream itself tells the end of an answer that was stopped; where there is no stream, nobody waits for it.
    if (session && message) client.stop(session, message).catch(() => leave(run));
    if (!message || isCut) showStopped(run);
    if (isCut) run.abort.abort();
  }

  function leave(run: Run): void {
    showStopped(run);
    run.abort.abort();
  }

  function showStopped(run: Run): void {
    run.paint.flush();
    set(run, { is: 'done', finish: 'stopped' });
    run.leave();
  }

  function set(run: Run, status: Status): void {
    if (run.turn.status.peek().is !== status.is || status.is !== 'streaming') run.turn.status.value = status;
  }

  return { of: (turn) => runs.get(turn), stop, drop, start };
}
