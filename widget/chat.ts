import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatEvent, ChatbotFace, Citation, Citations, VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import { Failure, newId, type Client, type Question } from './client.ts';
import type { Memory } from './memory.ts';
import { createPaint, type Paint } from './paint.ts';
import { follow, type Known } from './resume.ts';
import { statusOf, type Status } from './status.ts';

/** One question with its answer. Read it anywhere; only the chat writes it. */
export interface Turn {
  key: string;
  query: string;
  status: Signal<Status>;
  text: Signal<string>;
  citations: Signal<Citations>;
}

/** What a page can listen to, with what its listeners are given. */
export interface Events {
  open: undefined;
  close: undefined;
  ask: { query: string };
  answer: { query: string; response: string; citations: Citations; finish_reason: string };
  citation: { marker: string; citation: Citation };
  'rate-limit': { message: string; retry_after: number };
  error: { code: string; error: string; status: number };
}

export type Emit = <Name extends keyof Events>(name: Name, detail: Events[Name]) => void;

export interface ChatOptions {
  client: Client;
  memory: Memory;
  emit: Emit;
}

/** What the chat alone knows of a turn. */
interface Run {
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

const ENDED = new Set(['done', 'limited', 'failed']);

const createTurn = (query: string, status: Status, text = '', citations: Citations = {}): Turn => ({
  key: newId(),
  query,
  status: signal(status, { name: 'docent.status' }),
  text: signal(text, { name: 'docent.text' }),
  citations: signal(citations, { name: 'docent.citations' }),
});

const fromRecord = (message: VisitorMessage): Turn =>
  createTurn(message.query, statusOf(message.finish_reason), message.response, readCitations(message.cite_data_json));

const asFailure = (fault: unknown): Failure =>
  fault instanceof Failure ? fault : new Failure('bad_answer', String(fault));

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export class Chat {
  readonly isOpen: Signal<boolean> = signal(false, { name: 'docent.isOpen' });
  readonly face: Signal<ChatbotFace | undefined> = signal(undefined, { name: 'docent.face' });
  readonly turns: Signal<Turn[]> = signal([], { name: 'docent.turns' });
  readonly history: Signal<'unread' | 'loading' | 'read' | 'failed'> = signal('unread', { name: 'docent.history' });
  readonly draft: Signal<string> = signal('', { name: 'docent.draft' });
  readonly card: Signal<{ turn: Turn; marker: string } | undefined> = signal(undefined, { name: 'docent.card' });
  /** Milliseconds since 1970; it ticks while a wait is shown. */
  readonly now: Signal<number> = signal(0, { name: 'docent.now' });
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined> = signal(undefined, { name: 'docent.latest' });
  readonly isBusy: ReadonlySignal<boolean> = computed(() =>
    this.turns.value.some((turn) => !ENDED.has(turn.status.value.is)),
  );

  readonly #client: Client;
  readonly #memory: Memory;
  readonly #emit: Emit;
  readonly #runs = new Map<Turn, Run>();
  /** Answers are made one after another: a later question may lean on an earlier answer. */
  #queue: Promise<void> = Promise.resolve();
  #clock: ReturnType<typeof setInterval> | undefined;
  #isGone = false;

  constructor({ client, memory, emit }: ChatOptions) {
    this.#client = client;
    this.#memory = memory;
    this.#emit = emit;
  }

  open(): void {
    if (this.isOpen.peek() || this.#isGone) return;
    this.isOpen.value = true;
    if (!this.face.peek()) void this.#loadFace();
    if (this.history.peek() === 'unread') void this.restore();
    this.#emit('open', undefined);
  }

  close(): void {
    if (!this.isOpen.peek()) return;
    this.card.value = undefined;
    this.isOpen.value = false;
    this.#emit('close', undefined);
  }

  write(draft: string): void {
    this.draft.value = draft;
    this.#memory.write({ draft: draft || undefined });
  }

  /** Sends the draft, if there is one. */
  send(): void {
    const query = this.draft.peek().trim();
    if (!query) return;
    this.write('');
    this.ask(query);
  }

  ask(query: string): void {
    const words = query.trim();
    if (!words || this.#isGone) return;
    const turn = createTurn(words, { is: 'waiting' });
    this.turns.value = [...this.turns.peek(), turn];
    this.#emit('ask', { query: words });
    this.#start(turn, { query: words, id: newId() }, { from: 0 });
  }

  /** The same question again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void {
    const status = turn.status.peek();
    const last = this.#runs.get(turn);
    if (status.is !== 'failed' && status.is !== 'limited') return;
    const isSame = last !== undefined && status.is === 'failed' && status.code === 'network';
    turn.status.value = { is: 'waiting' };
    if (isSame) return this.#start(turn, last.question, last.known);
    turn.text.value = '';
    this.#start(turn, { query: turn.query, id: newId() }, { from: 0 });
  }

  /** Stops the answers being made; what is written of them stays. */
  stop(): void {
    for (const run of this.#runs.values()) if (!ENDED.has(run.turn.status.peek().is)) this.#stop(run);
  }

  /** Forgets the conversation, here and on the server. */
  async startAnew(): Promise<void> {
    const { session } = this.#memory.read();
    this.#drop();
    this.history.value = 'read';
    this.#memory.write({ session: undefined, asked: undefined });
    if (session) await this.#client.forget(session).catch((fault: unknown) => this.#report(asFailure(fault)));
  }

  showCitation(turn: Turn, marker: string): void {
    const citation = turn.citations.peek()[marker];
    if (!citation) return;
    this.card.value = { turn, marker };
    this.#emit('citation', { marker, citation });
  }

  hideCitation(): void {
    this.card.value = undefined;
  }

  /** Reads back the remembered conversation; an answer still being made there goes on here. */
  async restore(): Promise<void> {
    const { session, draft, asked } = this.#memory.read();
    if (!this.draft.peek()) this.draft.value = draft ?? asked ?? '';
    if (!session) return void (this.history.value = 'read');
    this.history.value = 'loading';
    try {
      this.#showHistory(session, await this.#client.messages(session), asked);
    } catch (fault) {
      this.#keepWithout(session, asFailure(fault));
    }
  }

  destroy(): void {
    this.#isGone = true;
    this.isOpen.value = false;
    this.#drop();
  }

  #drop(): void {
    for (const run of this.#runs.values()) {
      run.abort.abort();
      run.paint.cancel();
    }
    this.#runs.clear();
    this.#queue = Promise.resolve();
    this.card.value = undefined;
    this.latest.value = undefined;
    this.turns.value = [];
    clearInterval(this.#clock);
  }

  async #loadFace(): Promise<void> {
    try {
      this.face.value = await this.#client.face();
    } catch (fault) {
      this.#report(asFailure(fault));
    }
  }

  #showHistory(session: string, messages: VisitorMessage[], asked: string | undefined): void {
    if (this.#isGone || this.#memory.read().session !== session) return;
    const turns = messages.map(fromRecord);
    this.turns.value = [...turns, ...this.turns.peek()];
    this.history.value = 'read';
    const last = messages.at(-1);
    const turn = turns.at(-1);
    if (asked !== undefined && asked === last?.query && this.draft.peek() === asked) this.write('');
    if (!last || !turn || last.finish_reason) return;
    const known = { session, message: last.uuid, from: last.response.length };
    this.#start(turn, { query: last.query, id: newId(), session }, known);
  }

  #keepWithout(session: string, failure: Failure): void {
    if (failure.status !== 404) {
      this.history.value = 'failed';
      return this.#report(failure);
    }
    if (this.#memory.read().session === session) this.#memory.write({ session: undefined });
    this.history.value = 'read';
  }

  #start(turn: Turn, question: Question, known: Known): void {
    const paint = createPaint(() => this.#paint(run));
    const run: Run = { turn, question, known, paint, ...createRun() };
    this.#runs.set(turn, run);
    this.#queue = this.#queue.then(() => Promise.race([this.#answer(run), run.left]));
  }

  async #answer(run: Run): Promise<void> {
    if (run.abort.signal.aborted || run.isStopped) return;
    this.latest.value = run.turn;
    if (!run.known.message) {
      run.question.session ??= run.known.session ? undefined : this.#memory.read().session;
      this.#memory.write({ asked: run.question.query });
    }
    try {
      const { signal } = run.abort;
      for await (const event of follow(this.#client, run.question, run.known, signal)) this.#take(run, event);
    } catch (fault) {
      this.#fail(run, asFailure(fault));
    }
  }

  #take(run: Run, event: ChatEvent | { event: 'cut' }): void {
    if (run.abort.signal.aborted) return;
    if (event.event === 'session') this.#memory.write({ session: (run.known.session = event.data.uuid) });
    else if (event.event === 'message') this.#acknowledge(run, event.data.uuid);
    else if (event.event === 'delta') this.#append(run, event.data.text);
    else if (event.event === 'cut') this.#cut(run);
    else if (event.event === 'done') this.#finish(run, event.data);
    else this.#fail(run, new Failure(event.data.code, event.data.error, 0, event.data.retry_after));
  }

  #acknowledge(run: Run, message: string): void {
    run.known = { ...run.known, session: run.known.session ?? run.question.session, message };
    this.#memory.write({ asked: undefined });
    if (!run.isStopped) return;
    // Stopped before it had a name: now the server can be told.
    this.#client.stop(run.known.session ?? '', message).catch(() => undefined);
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
    this.#emit('answer', { query, response, finish_reason, citations: turn.citations.peek() });
  }

  #fail(run: Run, failure: Failure): void {
    if (run.abort.signal.aborted) return;
    if (run.isStopped) return this.#showStopped(run);
    run.paint.flush();
    const { session } = run.question;
    if (failure.status === 404 && session && !run.known.message) return this.#askWithout(run, session);
    if (failure.code === 'rate_limited') return this.#limit(run, failure);
    this.#set(run, { is: 'failed', code: failure.code });
    this.#report(failure);
  }

  /** The server no longer knows the session: the question starts a new one. */
  #askWithout(run: Run, session: string): void {
    if (this.#memory.read().session === session) this.#memory.write({ session: undefined });
    this.#start(run.turn, { query: run.question.query, id: newId() }, { from: 0 });
  }

  #limit(run: Run, failure: Failure): void {
    const seconds = failure.retry_after ?? 60;
    this.now.value = Date.now();
    this.#set(run, { is: 'limited', message: failure.error, until: this.now.peek() + seconds * 1000 });
    this.#memory.write({ asked: undefined });
    this.#emit('rate-limit', { message: failure.error, retry_after: seconds });
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#tick(), 1000);
  }

  #tick(): void {
    this.now.value = Date.now();
    const isWaiting = this.turns
      .peek()
      .some(({ status: { value } }) => value.is === 'limited' && value.until > this.now.peek());
    if (!isWaiting) clearInterval(this.#clock);
  }

  #stop(run: Run): void {
    const isCut = run.turn.status.peek().is === 'reconnecting';
    const { session, message } = run.known;
    run.isStopped = true;
    // The stream itself tells the end of an answer that was stopped; where there is no stream, nobody waits for it.
    if (session && message) this.#client.stop(session, message).catch(() => this.#leave(run));
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

  #report({ code, error, status }: Failure): void {
    this.#emit('error', { code, error, status });
  }
}
