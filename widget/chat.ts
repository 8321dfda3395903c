import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { createAnswers } from './answers.ts';
import { asFailure, type Client, type Feedback } from './client.ts';
import { compare, restore, settle } from './history.ts';
import { createMeeting, type Meeting } from './meeting.ts';
import type { Memory } from './memory.ts';
import { report } from './run.ts';
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
export interface Chat extends Meeting {
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

  agree(): void;
  open(isUnasked?: boolean): void;
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
  startAnew(): void;
  showCitation(turn: Turn, marker: string, place: object): void;
  hideCitation(): void;
  /** Tells the owner what the visitor thinks of an answer. */
  rate(turn: Turn, feedback: Feedback): void;
  /** Reads back the remembered conversation; an answer still being made there goes on here. */
  restore(): Promise<void>;
  destroy(): void;
}

export function createChat({ client, memory, emit, words: own, ...options }: ChatOptions): Chat {
  const isOpen = signal(false);
  const isQuiet = signal(false);
  const tell = (fault: unknown): void => report(emit, asFailure(fault));
  const { face, consent, meet, agree } = createMeeting(client, memory, tell);
  const [speech, fallSilent] = createSpeech(() => options.language || face.value?.language, options.host);
  const words = computed(() => ({
    ...en,
    ...speech.value?.words,
    ...face.value?.words,
    ...own,
  }));
  const language = computed(() => speech.value?.language);
  const turns = signal<Turn[]>([]);
  const history = signal<'unread' | 'loading' | 'read' | 'failed'>('unread');
  const draft = signal('');
  const card = signal<object | undefined>(undefined);
  const latest = signal<Turn | undefined>(undefined);
  const isBusy = computed(() => turns.value.some((turn) => !hasEnded(turn.status.value)));
  let isGone = false;

  const answers = createAnswers({
    client,
    memory,
    emit,
    onStart: (turn) => (latest.value = turn),
    onNamed: (turn) => settle(past, turn),
  });
  const look = (): void => compare(past);
  const past = {
    client,
    memory,
    answers,
    turns,
    draft,
    write,
    state: history,
    tell,
    isBusy: () => isBusy.peek(),
    drop,
    compare: look,
  };
  const unwatch = memory.watch(look);

  function open(isUnasked = false): void {
    if (isOpen.peek() || isGone) return;
    isQuiet.value = isUnasked;
    isOpen.value = true;
    void meet();
    if (history.peek() === 'unread') void readBack();
    emit('open', null);
  }

  function close(): void {
    if (!isOpen.peek()) return;
    hideCitation();
    isOpen.value = false;
    emit('close', null);
  }

  function write(text: string): void {
    draft.value = text;
    memory.write({ draft: text || undefined });
  }

  function send(): void {
    const query = draft.peek();
    if (!query.trim()) return;
    write('');
    ask(query);
  }

  function ask(text: string): void {
    const query = text.trim();
    if (!query || isGone) return;
    const turn = createTurn(query);
    turns.value = [...turns.peek(), turn];
    emit('ask', { query });
    if (face.peek()) return begin(turn);
    // Until then it is nowhere but here.
    memory.write({ draft: query });
    void meet().then(() => {
      memory.write({ draft: draft.peek() || undefined });
      begin(turn);
    });
  }

  /** Nothing is sent before what its owner wants agreed is known and agreed: until then the question is a draft. */
  function begin(turn: Turn): void {
    if (!consent.peek()) return answers.start(turn);
    turns.value = turns.peek().filter((other) => other !== turn);
    write(turn.query);
  }

  function startAnew(): void {
    const { session } = memory.read();
    drop();
    history.value = 'read';
    memory.write({ session: undefined, last: undefined, sent: undefined });
    if (session) client.forget(session).catch(tell);
  }

  function showCitation(turn: Turn, marker: string, place: object): void {
    const citation = turn.citations.peek()[marker];
    if (!citation) return;
    card.value = place;
    emit('citation', { marker, citation });
  }

  function hideCitation(): void {
    card.value = undefined;
  }

  function rate(turn: Turn, feedback: Feedback): void {
    const { session, message } = turn.known;
    const before = turn.feedback.peek();
    turn.feedback.value = feedback;
    client.rate(session!, message!, feedback).catch((fault: unknown) => {
      turn.feedback.value = { ...before, isLost: true };
      tell(fault);
    });
  }

  async function readBack(): Promise<void> {
    const { draft: kept = '', session, sent } = memory.read();
    draft.value ||= kept;
    history.value = session || sent ? 'loading' : 'read';
    if (history.peek() === 'read') return;
    await restore(past);
  }

  function drop(): void {
    answers.drop();
    hideCitation();
    latest.value = undefined;
    turns.value = [];
  }

  function destroy(): void {
    isGone = true;
    isOpen.value = false;
    history.value = 'unread';
    unwatch();
    document.removeEventListener('visibilitychange', look);
    fallSilent();
    drop();
  }

  return {
    isOpen,
    isQuiet,
    face,
    words,
    language,
    turns,
    history,
    draft,
    card,
    latest,
    isBusy,
    consent,
    meet,
    agree,
    open,
    close,
    write,
    send,
    ask,
    retry: answers.retry,
    stop: answers.stop,
    startAnew,
    showCitation,
    hideCitation,
    rate,
    restore: readBack,
    destroy,
  };
}
