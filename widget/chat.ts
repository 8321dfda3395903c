import { computed, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace, VisitorMessage } from '../server/types.ts';
import { asFailure, createAnswers, report } from './answers.ts';
import { newId, type Client, type Failure } from './client.ts';
import type { Memory } from './memory.ts';
import { createTurn, fromRecord, hasEnded, named, type Emit, type Turn } from './turn.ts';

export interface ChatOptions {
  client: Client;
  memory: Memory;
  emit: Emit;
}

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export interface Chat {
  readonly isOpen: Signal<boolean>;
  readonly face: Signal<ChatbotFace | undefined>;
  readonly turns: Signal<Turn[]>;
  readonly history: Signal<'unread' | 'loading' | 'read' | 'failed'>;
  readonly draft: Signal<string>;
  readonly card: Signal<{ turn: Turn; marker: string } | undefined>;
  /** Milliseconds since 1970; it ticks while a wait is shown. */
  readonly now: Signal<number>;
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;

  open(): void;
  close(): void;
  write(draft: string): void;
  /** Sends the draft, if there is one. */
  send(): void;
  ask(query: string): void;
  /** The same question again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void;
  /** Stops the answers being made; what is written of them stays. */
  stop(): void;
  /** Forgets the conversation, here and on the server. */
  startAnew(): Promise<void>;
  showCitation(turn: Turn, marker: string): void;
  hideCitation(): void;
  /** Reads back the remembered conversation; an answer still being made there goes on here. */
  restore(): Promise<void>;
  destroy(): void;
}

export function createChat({ client, memory, emit }: ChatOptions): Chat {
  const isOpen = named<boolean>('isOpen', false);
  const face = named<ChatbotFace | undefined>('face', undefined);
  const turns = named<Turn[]>('turns', []);
  const history = named<'unread' | 'loading' | 'read' | 'failed'>('history', 'unread');
  const draft = named<string>('draft', '');
  const card = named<{ turn: Turn; marker: string } | undefined>('card', undefined);
  const now = named<number>('now', 0);
  const latest = named<Turn | undefined>('latest', undefined);
  const isBusy = computed(() => turns.value.some((turn) => !hasEnded(turn.status.value)));
  let clock: ReturnType<typeof setInterval> | undefined;
  let isGone = false;

  const answers = createAnswers({
    client,
    memory,
    emit,
    onStart: (turn) => (latest.value = turn),
    onLimit: () => startClock(),
  });

  function open(): void {
    if (isOpen.peek() || isGone) return;
    isOpen.value = true;
    if (!face.peek()) void loadFace();
    if (history.peek() === 'unread') void restore();
    emit('open', undefined);
  }

  function close(): void {
    if (!isOpen.peek()) return;
    card.value = undefined;
    isOpen.value = false;
    emit('close', undefined);
  }

  function write(words: string): void {
    draft.value = words;
    memory.write({ draft: words || undefined });
  }

  function send(): void {
    const query = draft.peek().trim();
    if (!query) return;
    write('');
    ask(query);
  }

  function ask(query: string): void {
    const words = query.trim();
    if (!words || isGone) return;
    const turn = createTurn(words, { is: 'waiting' });
    turns.value = [...turns.peek(), turn];
    emit('ask', { query: words });
    answers.start(turn, { query: words, id: newId() }, { from: 0 });
  }

  function retry(turn: Turn): void {
    const status = turn.status.peek();
    const last = answers.of(turn);
    if (status.is !== 'failed' && status.is !== 'limited') return;
    const isSame = last !== undefined && status.is === 'failed' && status.code === 'network';
    turn.status.value = { is: 'waiting' };
    if (isSame) return answers.start(turn, last.question, last.known);
    turn.text.value = '';
    answers.start(turn, { query: turn.query, id: newId() }, { from: 0 });
  }

  async function startAnew(): Promise<void> {
    const { session } = memory.read();
    dropAll();
    history.value = 'read';
    memory.write({ session: undefined, asked: undefined });
    if (session) await client.forget(session).catch((fault: unknown) => report(emit, asFailure(fault)));
  }

  function showCitation(turn: Turn, marker: string): void {
    const citation = turn.citations.peek()[marker];
    if (!citation) return;
    card.value = { turn, marker };
    emit('citation', { marker, citation });
  }

  function hideCitation(): void {
    card.value = undefined;
  }

  async function restore(): Promise<void> {
    const { session, asked, draft: kept } = memory.read();
    if (!draft.peek()) draft.value = kept ?? asked ?? '';
    if (!session) return void (history.value = 'read');
    history.value = 'loading';
    try {
      showHistory(session, await client.messages(session), asked);
    } catch (fault) {
      keepWithout(session, asFailure(fault));
    }
  }

  function destroy(): void {
    isGone = true;
    isOpen.value = false;
    dropAll();
  }

  function dropAll(): void {
    answers.drop();
    card.value = undefined;
    latest.value = undefined;
    turns.value = [];
    clearInterval(clock);
  }

  async function loadFace(): Promise<void> {
    try {
      face.value = await client.face();
    } catch (fault) {
      report(emit, asFailure(fault));
    }
  }

  function showHistory(session: string, messages: VisitorMessage[], asked: string | undefined): void {
    if (isGone || memory.read().session !== session) return;
    const earlier = messages.map(fromRecord);
    turns.value = [...earlier, ...turns.peek()];
    history.value = 'read';
    const last = messages.at(-1);
    const turn = earlier.at(-1);
    if (asked !== undefined && asked === last?.query && draft.peek() === asked) write('');
    if (!last || !turn || last.finish_reason) return;
    const known = { session, message: last.uuid, from: last.response.length };
    answers.start(turn, { query: last.query, id: newId(), session }, known);
  }

  function keepWithout(session: string, failure: Failure): void {
    if (failure.status !== 404) {
      history.value = 'failed';
      return report(emit, failure);
    }
    if (memory.read().session === session) memory.write({ session: undefined });
    history.value = 'read';
  }

  function startClock(): void {
    clearInterval(clock);
    clock = setInterval(() => tick(), 1000);
    tick();
  }

  function tick(): void {
    now.value = Date.now();
    const isWaiting = turns.peek().some(({ status: { value } }) => value.is === 'limited' && value.until > now.peek());
    if (!isWaiting) clearInterval(clock);
  }

  return {
    isOpen,
    face,
    turns,
    history,
    draft,
    card,
    now,
    latest,
    isBusy,
    open,
    close,
    write,
    send,
    ask,
    retry,
    stop: answers.stop,
    startAnew,
    showCitation,
    hideCitation,
    restore,
    destroy,
  };
}
