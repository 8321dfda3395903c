import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace } from '../server/types.ts';
import { asFailure, newId, type Client, type Feedback, type Question } from './client.ts';
import { compare, restore } from './history.ts';
import type { Memory } from './memory.ts';
import { createRun, report } from './run.ts';
import { createSpeech } from './speech.ts';
import { hasEnded } from './status.ts';
import { createTurn, type Emit, type Turn } from './turn.ts';
import { en, type PanelWords } from './words/en.ts';

export interface ChatOptions {
  client: Client;
  memory: Memory;
  emit: Emit;
  /** The page's own sentences. */
  words?: Partial<PanelWords> | undefined;
  /** The owner's language; the chatbot's own settings may name another. */
  language?: string | undefined;
  /** Where the chat stands: the page's language is that of the nearest element around it that names one. */
  host?: Element | undefined;
}

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export interface Chat {
  readonly client: Client;
  readonly memory: Memory;
  readonly emit: Emit;
  readonly face: Signal<ChatbotFace | undefined>;
  /** What the visitor has yet to agree to; '' for nothing. */
  readonly consent: ReadonlySignal<string>;
  readonly isOpen: Signal<boolean>;
  /** It opened by itself: the visitor's focus stays where it is. */
  readonly isQuiet: Signal<boolean>;
  readonly words: ReadonlySignal<PanelWords>;
  /** What the words are written in; undefined until they are there. */
  readonly language: ReadonlySignal<string | undefined>;
  readonly turns: Signal<Turn[]>;
  readonly history: Signal<'unread' | 'loading' | 'read' | 'failed'>;
  readonly draft: Signal<string>;
  /** Whose card is open: one place of one marker. */
  readonly card: Signal<object | undefined>;
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;

  /** Tells the page what went wrong. */
  tell(fault: unknown): void;
  /** Asks who the chatbot is, until it has said so. */
  meet(): Promise<unknown>;
  agree(): void;
  open(isUnasked?: boolean): void;
  close(): void;
  write(draft: string): void;
  /** Sends the draft, if there is one. */
  send(): void;
  ask(query: string): void;
  /**
   * Asks the turn's question, or `question` once more, or takes up what is known of its answer. Answers are made one after
   * another: a later question may lean on an earlier answer.
   */
  start(turn: Turn, question?: Question): void;
  /** As another message, from the start. */
  askAgain(turn: Turn): void;
  /** The same again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void;
  /** Stops the answers being made; what is written of them stays. */
  stop(): void;
  /** Forgets the conversation, here and on the server. */
  startAnew(): void;
  showCitation(turn: Turn, marker: string, place: object): void;
  hideCitation(): void;
  /** Tells the owner what the visitor thinks of an answer. */
  rate(turn: Turn, feedback: Feedback): void;
  /** Reads back the remembered conversation; an answer still being made there goes on here. */
  restore(): Promise<void>;
  /** Compares what is shown with what is remembered. */
  compare(): void;
  /** Takes everything shown away. */
  drop(): void;
  destroy(): void;
}

export function createChat({ client, memory, emit, words: own, language, host }: ChatOptions): Chat {
  const { draft = '', agreed } = memory.read();
  const face = signal<ChatbotFace | undefined>(undefined);
  const isAgreed = signal(agreed);
  const [speech, fallSilent] = createSpeech(() => language || face.value?.language, host);
  let meeting: Promise<unknown> | undefined;
  let queue = Promise.resolve();
  let isGone = false;

  /** Nothing is sent before what its owner wants agreed is known and agreed: until then the question is a draft. */
  function begin(turn: Turn): void {
    if (!chat.consent.peek()) return chat.start(turn);
    chat.turns.value = chat.turns.peek().filter((other) => other !== turn);
    chat.write(turn.query);
  }

  const chat: Chat = {
    client,
    memory,
    emit,
    face,
    isOpen: signal(false),
    isQuiet: signal(false),
    consent: computed(() => (!isAgreed.value && face.value?.consent) || ''),
    words: computed(() => ({ ...en, ...speech.value?.words, ...face.value?.words, ...own })),
    language: computed(() => speech.value?.language),
    turns: signal([]),
    history: signal('unread'),
    draft: signal(draft),
    card: signal(undefined),
    latest: signal(undefined),
    isBusy: computed(() => chat.turns.value.some((turn) => !hasEnded(turn.status.value))),

    tell: (fault) => report(emit, asFailure(fault)),
    meet: () =>
      (meeting ??= client.face().then(
        (found) => (face.value = found),
        (fault: unknown) => {
          meeting = undefined;
          chat.tell(fault);
        },
      )),
    agree() {
      memory.write({ agreed: true });
      isAgreed.value = true;
    },
    open(isUnasked = false) {
      if (chat.isOpen.peek() || isGone) return;
      chat.isQuiet.value = isUnasked;
      chat.isOpen.value = true;
      void chat.meet();
      if (chat.history.peek() === 'unread') void chat.restore();
      emit('open', null);
    },
    close() {
      if (!chat.isOpen.peek()) return;
      chat.hideCitation();
      chat.isOpen.value = false;
      emit('close', null);
    },
    write(text) {
      chat.draft.value = text;
      memory.write({ draft: text || undefined });
    },
    send() {
      const query = chat.draft.peek();
      if (!query.trim()) return;
      chat.write('');
      chat.ask(query);
    },
    ask(text) {
      const query = text.trim();
      if (!query || isGone) return;
      const turn = createTurn(query);
      chat.turns.value = [...chat.turns.peek(), turn];
      emit('ask', { query });
      if (face.peek()) return begin(turn);
      // Until then it is nowhere but here.
      memory.write({ draft: query });
      void chat.meet().then(() => {
        memory.write({ draft: chat.draft.peek() || undefined });
        begin(turn);
      });
    },
    start(turn, question = { query: turn.query, id: newId(), at: Date.now() }) {
      turn.run?.drop();
      turn.run = createRun(chat, turn, question);
      queue = queue.then(turn.run.make);
    },
    askAgain(turn) {
      turn.known = { from: 0 };
      turn.text.value = '';
      chat.start(turn);
    },
    retry(turn) {
      const { run, status } = turn;
      const { reason } = status.peek();
      status.value = { is: 'waiting' };
      if (run && reason === 'network') return chat.start(turn, run.question);
      run?.forget();
      chat.askAgain(turn);
    },
    stop() {
      for (const { run, status } of chat.turns.peek()) if (!hasEnded(status.peek())) run?.stop();
    },
    startAnew() {
      const { session } = memory.read();
      chat.drop();
      chat.history.value = 'read';
      memory.write({ session: undefined, last: undefined, sent: undefined });
      if (session) client.forget(session).catch(chat.tell);
    },
    showCitation(turn, marker, place) {
      const citation = turn.citations.peek()[marker];
      if (!citation) return;
      chat.card.value = place;
      emit('citation', { marker, citation });
    },
    hideCitation() {
      chat.card.value = undefined;
    },
    rate(turn, feedback) {
      const { session, message } = turn.known;
      const before = turn.feedback.peek();
      turn.feedback.value = feedback;
      client.rate(session!, message!, feedback).catch((fault: unknown) => {
        turn.feedback.value = { ...before, isLost: true };
        chat.tell(fault);
      });
    },
    restore: () => restore(chat),
    compare: () => compare(chat),
    drop() {
      for (const { run } of chat.turns.peek()) run?.drop();
      queue = Promise.resolve();
      chat.hideCitation();
      chat.latest.value = undefined;
      chat.turns.value = [];
    },
    destroy() {
      isGone = true;
      chat.isOpen.value = false;
      chat.history.value = 'unread';
      unwatch();
      document.removeEventListener('visibilitychange', chat.compare);
      fallSilent();
      chat.drop();
    },
  };
  const unwatch = memory.watch(chat.compare);
  return chat;
}
