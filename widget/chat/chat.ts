import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace } from '../../server/types.ts';
import { answer, fail, keep, stop } from './stream.ts';
import { createClient, type Client, type Failure, type Feedback } from '../client/client.ts';
import { restore } from './history.ts';
import { createMemory, type Memory } from '../browser/memory.ts';
import type { Context, Settings } from '../browser/settings.ts';
import { createSpeech, type Speech } from '../browser/locale.ts';
import { hasEnded } from './status.ts';
import { createTurn, type Emit, type Events, type Turn } from './turn.ts';
import { en, type PanelWords, type Words } from '../words/en.ts';

export interface ChatOptions {
  server: string;
  chatbot: string;
  /** The page's own sentences. */
  words?: Partial<Words> | undefined;
  /** The owner's, as the page has them; they win over those that the server keeps. */
  settings?: Partial<Settings> | undefined;
  context?: Context | undefined;
  /** Another wire than the server's door. */
  client?: Client | undefined;
  memory?: Memory | undefined;
}

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export interface Chat {
  readonly client: Client;
  readonly memory: Memory;
  readonly emit: Emit;
  /** What is known of the chatbot: from the start what the page says of it. */
  readonly face: Signal<Partial<ChatbotFace & Settings>>;
  /** What the visitor has yet to agree to, if anything. */
  readonly consent: ReadonlySignal<string | false | undefined>;
  /** Undefined until it is opened or closed for the first time; `quietly`: the visitor's focus stays where it is. */
  readonly isOpen: Signal<boolean | 'quietly' | undefined>;
  readonly words: ReadonlySignal<PanelWords>;
  /** Undefined until there are words. */
  readonly speech: ReadonlySignal<Speech | undefined>;
  readonly turns: Signal<Turn[]>;
  /** Aborted when what is shown is taken away, with all that goes on for it. */
  showing: AbortController;
  readonly history: Signal<'loading' | 'read' | 'failed'>;
  readonly draft: Signal<string>;
  /** Whose card is open: one place of one marker. */
  readonly card: Signal<object | undefined>;
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;

  /** Tells the page what went wrong. */
  tell(fault: unknown): void;
  /**
   * Asks who the chatbot is, until it has said so, and waits for the visitor to agree to what its owner wants agreed. False where
   * neither is known now.
   */
  meet(): Promise<boolean>;
  agree(): void;
  open(how?: true | 'quietly'): void;
  close(): void;
  /** The visitor wants nothing to come by itself any more. */
  dismiss(): void;
  write(draft: string): void;
  /** Sends the draft, if there is one. */
  send(): void;
  /** Opens the chat and asks. */
  ask(query: string): void;
  /**
   * Asks the turn's question, or takes up what is known of its answer where that has not ended. Answers are made one after another:
   * a later question may lean on an earlier answer; the first, when it is known who the chatbot is.
   */
  start(turn: Turn): void;
  /** The same again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void;
  /** Stops the answers being made; what is written of them stays. */
  stop(): void;
  /** Forgets the conversation, here and on the server. */
  startAnew(): void;
  /** Opens the card of a citation at one place of its marker; without one, closes what is open. */
  cite(place?: object, detail?: Events['citation']): void;
  /** Tells the owner what the visitor thinks of an answer. */
  rate(turn: Turn, feedback: Feedback): void;
  /** Shows what is remembered and is not here yet; an answer still being made there goes on here. */
  restore(): Promise<void>;
  /** Takes everything shown away; what is asked next is asked anew. */
  drop(): void;
}

/** What happens is told as events of the host. */
export function createChat(host: HTMLElement, options: ChatOptions): Chat {
  const { server, chatbot, context, settings = {} } = options;
  const { client = createClient(server, chatbot, context), memory = createMemory(server, chatbot) } = options;
  const { draft = '', agreed, closed } = memory.read();
  const face = signal<Partial<ChatbotFace>>(settings);
  const isAgreed = signal(agreed);
  const speech = createSpeech(face, host);
  let meeting: Promise<boolean> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function getAcquainted(): Promise<boolean> {
    try {
      face.value = { ...(await client.face()), ...settings };
    } catch (fault) {
      meeting = undefined;
      chat.tell(fault);
      // Who refuses to be met refuses a question too, and says why.
      return (fault as Failure).status! < 500;
    }
    await new Promise<void>((resolve) => {
      effect(() => {
        if (!chat.consent.value) resolve();
      });
    });
    return true;
  }

  const chat: Chat = {
    client,
    memory,
    emit: (name, detail) => void host.dispatchEvent(new CustomEvent(name, { detail })),
    face,
    isOpen: signal(closed ? false : undefined),
    consent: computed(() => !isAgreed.value && face.value.consent),
    words: computed(() => ({ ...en, ...speech.value?.words, ...face.value.words, ...options.words })),
    speech,
    turns: signal([]),
    showing: new AbortController(),
    history: signal('loading'),
    draft: signal(draft),
    card: signal(undefined),
    latest: signal(undefined),
    isBusy: computed(() => chat.turns.value.some((turn) => !hasEnded(turn.status.value))),

    tell(fault) {
      const { code = 'network', error = '', status = 0 } = fault as Partial<Failure>;
      chat.emit('error', { code, error, status });
    },
    meet: () => (meeting ??= getAcquainted()),
    agree() {
      memory.write({ agreed: true });
      isAgreed.value = true;
    },
    open(how = true) {
      if (chat.isOpen.peek()) return;
      chat.isOpen.value = how;
      void chat.meet();
      void chat.restore();
      chat.emit('open', null);
    },
    close() {
      if (!chat.isOpen.peek()) return;
      chat.dismiss();
      chat.emit('close', null);
    },
    dismiss() {
      chat.isOpen.value = false;
      memory.write({ closed: true });
    },
    write(text) {
      chat.draft.value = text;
      memory.write({ draft: text });
    },
    send() {
      const query = chat.draft.peek();
      chat.write('');
      chat.ask(query);
    },
    ask(text) {
      const query = text.trim();
      if (!query) return;
      chat.open();
      const turn = createTurn({ query });
      chat.turns.value = [...chat.turns.peek(), turn];
      chat.emit('ask', { query });
      chat.start(turn);
    },
    start(turn) {
      if (!turn.message) keep(chat, turn, true);
      // Whatever throws ends this turn alone: the next one waits for it.
      queue = queue
        .then(() => answer(chat, turn))
        .catch((fault: unknown) => void fail(chat, turn, { code: 'bad_answer', error: String(fault) }));
    },
    retry(turn) {
      if (turn.status.peek().reason === 'network') {
        turn.status.value = { is: 'waiting' };
        return chat.start(turn);
      }
      keep(chat, turn, false);
      chat.turns.value = chat.turns.peek().filter((one) => one !== turn);
      chat.ask(turn.query);
    },
    stop: () => stop(chat),
    startAnew() {
      const { session } = memory.read();
      chat.drop();
      chat.history.value = 'read';
      memory.write({ session: undefined, last: undefined, sent: undefined });
      if (session) client.forget(session).catch(chat.tell);
    },
    cite(place, detail) {
      chat.card.value = place;
      if (detail) chat.emit('citation', detail);
    },
    rate(turn, feedback) {
      const before = turn.feedback.peek();
      turn.feedback.value = feedback;
      client.rate(turn, feedback).catch((fault: unknown) => {
        turn.feedback.value = { ...before, isLost: true };
        chat.tell(fault);
      });
    },
    restore: () => restore(chat),
    drop() {
      chat.showing.abort();
      chat.showing = new AbortController();
      chat.latest.value = undefined;
      chat.turns.value = [];
    },
  };
  return chat;
}
