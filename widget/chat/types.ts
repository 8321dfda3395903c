import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ChatbotProfile } from '../../server/types.ts';
import type { ChatStorage } from '../browser/storage.ts';
import type { Context, Settings } from '../browser/settings.ts';
import type { Client, Failure } from '../client/client.ts';
import type { PanelWords, Words } from '../words/en.ts';
import type { Locale } from '../words/languages.ts';
import type { Emit, Events, Turn } from './turn.ts';

export interface ChatOptions {
  server: string;
  chatbot: string;
  /** Texts that replace the widget's own. */
  words?: Partial<Words> | undefined;
  /** Settings made in the page; they override those stored on the server. */
  settings?: Partial<Settings> | undefined;
  context?: Context | undefined;
  /** Replaces the HTTP client. */
  client?: Client | undefined;
  storage?: ChatStorage | undefined;
}

/** State of one conversation and every action on it. Views read signals and call actions; only widget/chat writes. */
export interface Chat {
  readonly client: Client;
  readonly storage: ChatStorage;
  readonly emit: Emit;
  /** The chatbot's public profile under the page's settings; the settings alone until the profile is loaded. */
  readonly profile: Signal<Partial<ChatbotProfile & Settings>>;
  /** Text that the visitor must agree to before the first question; falsy when there is none or it was given. */
  readonly consent: ReadonlySignal<string | false | undefined>;
  /** Undefined until first opened or closed; `quietly`: opened without taking the focus. */
  readonly isOpen: Signal<boolean | 'quietly' | undefined>;
  readonly words: ReadonlySignal<PanelWords>;
  /** Undefined until loaded. */
  readonly locale: ReadonlySignal<Locale | undefined>;
  readonly turns: Signal<Turn[]>;
  /** Aborted by `clear`: ends streams, waits and history requests of the conversation shown. */
  controller: AbortController;
  readonly history: Signal<'loading' | 'read' | 'failed'>;
  readonly draft: Signal<string>;
  /** The marker component whose citation card is open. */
  readonly card: Signal<object | undefined>;
  /** The turn that is announced to screen readers, at its start and at its end. */
  readonly latest: Signal<Turn | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;

  /** The `target` of a link: a page of the site opens in place of the one shown, where the chat stays with the visitor. */
  targetOf(href: string): '_self' | '_blank';
  /** Emits `error`; anything that is no `Failure` counts as `network`. */
  report(fault: unknown): void;
  /**
   * Loads the profile, again after a failure, and waits for consent. True when a question may be sent, and after a 4xx but a
   * limit, since its reply says why not; the failure where that says when to try again; false when the profile is to be requested
   * again.
   */
  prepare(): Promise<boolean | Failure>;
  agree(): void;
  open(how?: true | 'quietly'): void;
  close(): void;
  /** Closes panel or teaser, and stores that neither opens by itself again. */
  dismiss(): void;
  write(draft: string): void;
  /** Sends the draft unless it is blank. */
  send(): void;
  /**
   * Opens the chat and asks, in place of the turn `before` where there is one; the server replaces a session's last message only.
   * `variables`: in place of the page's; those of `before` by default.
   */
  ask(query: string, before?: Turn, variables?: Turn['variables']): void;
  /**
   * Sends the turn's question, or resumes its answer. Turns are queued: a later question may refer to an earlier answer, and the
   * first waits for `prepare`.
   */
  start(turn: Turn): void;
  /** Sends the question again: with the same id after a network failure, so that it is not answered twice, else as a new turn. */
  retry(turn: Turn): void;
  /** Ends a turn as failed after an exception: what came for it cannot be read, or not be drawn. */
  fail(turn: Turn, fault: unknown): void;
  /** Stops all answers in progress; their text so far stays. */
  stop(): void;
  /** Shows an empty conversation; the one shown becomes an earlier one. */
  startOver(): void;
  /** Opens the citation card of a marker component and emits `citation`; without arguments closes the open card. */
  setCard(place?: object, detail?: Events['citation']): void;
  /**
   * Loads messages of the stored session that are not shown yet, and resumes answers in progress. `event`: what gave the reason, such
   * as another tab's `storage`.
   */
  restore(event?: Event): Promise<void>;
  /** Removes all turns and aborts what runs for them. */
  clear(): void;
}
