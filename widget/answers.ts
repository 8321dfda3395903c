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

/** The answers being made: one after another, for a later question may lean on an earlier answer. */
export class Answers {
  readonly #way: Way;
  readonly #runs = new Map<Turn, Run>();
  #queue: Promise<void> = Promise.resolve();

  constructor(way: Way) {
    this.#way = way;
  }

  /** What is known of a turn that was asked here. */
  of(turn: Turn): Run | undefined {
    return this.#runs.get(turn);
  }

  /** Stops all; what is written of them stays. */
  stop(): void {
    for (const run of this.#runs.values()) if (!hasEnded(run.turn.status.peek())) this.#stop(run);
  }

  /** Forgets all, at once and without a word. */
  drop(): void {
    for (const run of this.#runs.values()) {
      run.abort.abort();
      run.paint.cancel();
    }
    this.#runs.clear();
    this.#queue = Promise.resolve();
  }

  start(turn: Turn, question: Question, known: Known): void {
    const paint = createPaint(() => this.#paint(run));
    const run: Run = { turn, question, known, paint, ...createRun() };
    this.#runs.set(turn, run);
    this.#queue = this.#queue.then(() => Promise.race([this.#answer(run), run.left]));
  }

  async #answer(run: Run): Promise<void> {
    if (run.abort.signal.aborted || run.isStopped) return;
    this.#way.onStart(run.turn);
    if (!run.known.message) {
      run.question.session ??= run.known.session ? undefined : this.#way.memory.read().session;
      this.#way.memory.write({ asked: run.question.query });
    }
    try {
      const { signal } = run.abort;
      for await (const event of follow(this.#way.client, run.question, run.known, signal)) this.#take(run, event);
    } catch (fault) {
      this.#fail(run, asFailure(fault));
    }
  }

  #take(run: Run, event: ChatEvent | { event: 'cut' }): void {
    if (run.abort.signal.aborted) return;
    if (event.event === 'session') this.#way.memory.write({ session: (run.known.session = event.data.uuid) });
    else if (event.event === 'message') this.#acknowledge(run, event.data.uuid);
    else if (event.event === 'delta') this.#append(run, event.data.text);
    else if (event.event === 'cut') this.#cut(run);
    else if (event.event === 'done') this.#finish(run, event.data);
    else if (event.event === 'error')
      this.#fail(run, new Failure(event.data.code, event.data.error, 0, event.data.retry_after));
  }

  #acknowledge(run: Run, message: string): void {
    run.known = { ...run.known, session: run.known.session ?? run.question.session, message };
    this.#way.memory.write({ asked: undefined });
    if (!run.isStopped) return;
    // Stopped before it had a name: now the server can be told.
    this.#way.client.stop(run.known.session ?? '', message).catch(() => undefined);
    run.abort.abort();
  }

  #cut(run: Run): void {
    if (run.isStopped) return run.abort.abort();
    run.paint.flush();
    this.#set(run, { is: 'reconnecting' });
  }

  #append(run: Run, text: string): void {
    run.known.from += text.length;
    run.unpainted += text;
    run.paint.soon();
  }

  #paint(run: Run): void {
    if (!run.unpainted) return;
    run.turn.text.value += run.unpainted;
    run.unpainted = '';
    this.#set(run, { is: 'streaming' });
  }

  #finish({ turn, paint }: Run, message: VisitorMessage): void {
    paint.flush();
    turn.text.value = message.response;
    turn.citations.value = readCitations(message.cite_data_json);
    turn.status.value = statusOf(message.finish_reason || 'stop');
    const { query, response, finish_reason } = message;
    this.#way.emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
  }

  #fail(run: Run, failure: Failure): void {
    if (run.abort.signal.aborted) return;
    if (run.isStopped) return this.#showStopped(run);
    run.paint.flush();
    const { session } = run.question;
    if (failure.status === 404 && session && !run.known.message) return this.#askWithout(run, session);
    if (failure.code === 'rate_limited') return this.#limit(run, failure);
    this.#set(run, { is: 'failed', code: failure.code });
    report(this.#way.emit, failure);
  }

  /** The server no longer knows the session: the question starts a new one. */
  #askWithout(run: Run, session: string): void {
    if (this.#way.memory.read().session === session) this.#way.memory.write({ session: undefined });
    this.start(run.turn, { query: run.question.query, id: newId() }, { from: 0 });
  }

  #limit(run: Run, { error, retry_after = 60 }: Failure): void {
    const until = Date.now() + retry_after * 1000;
    this.#set(run, { is: 'limited', message: error, until });
    this.#way.memory.write({ asked: undefined });
    this.#way.emit('rate-limit', { message: error, retry_after });
    this.#way.onLimit();
  }

  #stop(run: Run): void {
    const isCut = run.turn.status.peek().is === 'reconnecting';
    const { session, message } = run.known;
    run.isStopped = true;
    // The stream itself tells the end of an answer that was stopped; where there is no stream, nobody waits for it.
    if (session && message) this.#way.client.stop(session, message).catch(() => this.#leave(run));
    if (!message || isCut) this.#showStopped(run);
    if (isCut) run.abort.abort();
  }

  #leave(run: Run): void {
    this.#showStopped(run);
    run.abort.abort();
  }

  #showStopped(run: Run): void {
    run.paint.flush();
    this.#set(run, { is: 'done', finish: 'stopped' });
    run.leave();
  }

  #set(run: Run, status: Status): void {
    if (run.turn.status.peek().is !== status.is || status.is !== 'streaming') run.turn.status.value = status;
  }
}
