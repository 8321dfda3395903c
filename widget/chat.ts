import { computed, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace, VisitorMessage } from '../server/types.ts';
import { asFailure, createAnswers, report, type Answers } from './answers.ts';
import { newId, type Client, type Failure } from './client.ts';
import type { Memory } from './memory.ts';
import { createTurn, fromRecord, hasEnded, named, type Emit, type Turn } from './turn.ts';

export interface ChatOptions {
  client: Client;
  memory: Memory;
  emit: Emit;
}

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export class Chat {
  readonly isOpen: Signal<boolean> = named('isOpen', false);
  readonly face: Signal<ChatbotFace | undefined> = named('face', undefined);
  readonly turns: Signal<Turn[]> = named('turns', []);
  readonly history: Signal<'unread' | 'loading' | 'read' | 'failed'> = named('history', 'unread');
  readonly draft: Signal<string> = named('draft', '');
  readonly card: Signal<{ turn: Turn; marker: string } | undefined> = named('card', undefined);
  /** Milliseconds since 1970; it ticks while a wait is shown. */
  readonly now: Signal<number> = named('now', 0);
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined> = named('latest', undefined);
  readonly isBusy: ReadonlySignal<boolean> = computed(() =>
    this.turns.value.some((turn) => !hasEnded(turn.status.value)),
  );

  readonly #client: Client;
  readonly #memory: Memory;
  readonly #emit: Emit;
  readonly #answers: Answers;
  #clock: ReturnType<typeof setInterval> | undefined;
  #isGone = false;

  constructor({ client, memory, emit }: ChatOptions) {
    this.#client = client;
    this.#memory = memory;
    this.#emit = emit;
    this.#answers = createAnswers({
      client,
      memory,
      emit,
      onStart: (turn) => (this.latest.value = turn),
      onLimit: () => this.#startClock(),
    });
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
    this.#answers.start(turn, { query: words, id: newId() }, { from: 0 });
  }

  /** The same question again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void {
    const status = turn.status.peek();
    const last = this.#answers.of(turn);
    if (status.is !== 'failed' && status.is !== 'limited') return;
    const isSame = last !== undefined && status.is === 'failed' && status.code === 'network';
    turn.status.value = { is: 'waiting' };
    if (isSame) return this.#answers.start(turn, last.question, last.known);
    turn.text.value = '';
    this.#answers.start(turn, { query: turn.query, id: newId() }, { from: 0 });
  }

  /** Stops the answers being made; what is written of them stays. */
  stop(): void {
    this.#answers.stop();
  }

  /** Forgets the conversation, here and on the server. */
  async startAnew(): Promise<void> {
    const { session } = this.#memory.read();
    this.#drop();
    this.history.value = 'read';
    this.#memory.write({ session: undefined, asked: undefined });
    if (session) await this.#client.forget(session).catch((fault: unknown) => report(this.#emit, asFailure(fault)));
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
    this.#answers.drop();
    this.card.value = undefined;
    this.latest.value = undefined;
    this.turns.value = [];
    clearInterval(this.#clock);
  }

  async #loadFace(): Promise<void> {
    try {
      this.face.value = await this.#client.face();
    } catch (fault) {
      report(this.#emit, asFailure(fault));
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
    this.#answers.start(turn, { query: last.query, id: newId(), session }, known);
  }

  #keepWithout(session: string, failure: Failure): void {
    if (failure.status !== 404) {
      this.history.value = 'failed';
      return report(this.#emit, failure);
    }
    if (this.#memory.read().session === session) this.#memory.write({ session: undefined });
    this.history.value = 'read';
  }

  #startClock(): void {
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#tick(), 1000);
    this.#tick();
  }

  #tick(): void {
    this.now.value = Date.now();
    const isWaiting = this.turns
      .peek()
      .some(({ status: { value } }) => value.is === 'limited' && value.until > this.now.peek());
    if (!isWaiting) clearInterval(this.#clock);
  }
}
