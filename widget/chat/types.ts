import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ChatbotFace } from '../../server/types.ts';
import type { ChatStorage } from '../browser/storage.ts';
import type { Context, Settings } from '../browser/settings.ts';
import type { Client, Feedback } from '../client/client.ts';
import type { PanelWords, Words } from '../words/en.ts';
import type { Locale } from '../words/languages.ts';
import type { Emit, Events, Turn } from './turn.ts';

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
  storage?: ChatStorage | undefined;
}

/** The whole state of one conversation and every action on it. Views read it and call it; nothing else writes it. */
export interface Chat {
  readonly client: Client;
  readonly storage: ChatStorage;
  readonly emit: Emit;
  /** What is known of the chatbot: from the start what the page says of it. */
  readonly profile: Signal<Partial<ChatbotFace & Settings>>;
  /** What the visitor has yet to agree to, if anything. */
  readonly consent: ReadonlySignal<string | false | undefined>;
  /** Undefined until it is opened or closed for the first time; `quietly`: the visitor's focus stays where it is. */
  readonly isOpen: Signal<boolean | 'quietly' | undefined>;
  readonly words: ReadonlySignal<PanelWords>;
  /** Undefined until there are words. */
  readonly locale: ReadonlySignal<Locale | undefined>;
  readonly turns: Signal<Turn[]>;
  /** Aborted when what is shown is taken away, with all that goes on for it. */
  controller: AbortController;
  readonly history: Signal<'loading' | 'read' | 'failed'>;
  readonly draft: Signal<string>;
  /** Whose card is open: one place of one marker. */
  readonly card: Signal<object | undefined>;
  /** The turn that a screen reader is told about: once at its start, once at its end. */
  readonly latest: Signal<Turn | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;

  /** Tells the page what went wrong. */
  report(fault: unknown): void;
  /**
   * Asks who the chatbot is, until it has said so, and waits for the visitor to agree to what its owner wants agreed. False where
   * neither is known now.
   */
  prepare(): Promise<boolean>;
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
  startOver(): void;
  /** Opens the card of a citation at one place of its marker; without one, closes what is open. */
  setCard(place?: object, detail?: Events['citation']): void;
  /** Tells the owner what the visitor thinks of an answer. */
  rate(turn: Turn, feedback: Feedback): void;
  /** Shows what is remembered and is not here yet; an answer still being made there goes on here. */
  restore(): Promise<void>;
  /** Takes everything shown away; what is asked next is asked anew. */
  clear(): void;
}
