import { computed, signal } from '@preact/signals';
import type { ChatbotProfile } from '../../server/types.ts';
import { applyRecord, streamAnswer, saveQuestion, stopAnswers } from './retry.ts';
import { createClient, type Failure } from '../client/client.ts';
import { createChatStorage } from '../browser/storage.ts';
import { createLocale } from '../browser/locale.ts';
import { parseAddress } from '../markdown/address.ts';
import { hasEnded } from './status.ts';
import { createTurn } from './turn.ts';
import type { Chat, ChatOptions } from './types.ts';
import { en } from '../words/en.ts';

/** Earlier conversations that are kept, and characters of their titles. */
const MAX_PAST = 50;
const MAX_TITLE = 99;

/** Creates the state of one chat and its actions; dispatches `Events` on the host. */
export function createChat(host: HTMLElement, options: ChatOptions): Chat {
  const { server, chatbot, context, settings = {} } = options;
  const {
    client = createClient(server, chatbot, context),
    storage = createChatStorage(server, chatbot, () => isKnown && !chat.consent.peek()),
  } = options;
  const { draft = '', agreed, closed, session, past, sent } = storage.read();
  /** The profile has said whether consent is asked for; a visitor who agreed or asked before needs no word of it. */
  let isKnown = !!(agreed || session || past || sent);
  const profile = signal<Partial<ChatbotProfile>>(settings);
  const isAgreed = signal(agreed);
  const locale = createLocale(profile, host);
  let ready: ReturnType<Chat['prepare']> | undefined;
  let lastAnswer: Promise<unknown> = Promise.resolve();

  async function loadProfile(): ReturnType<Chat['prepare']> {
    try {
      profile.value = { ...(await client.profile()), ...settings };
      isKnown = true;
      storage.write({});
    } catch (fault) {
      ready = undefined;
      chat.report(fault);
      // After a 4xx the question is sent all the same: its error says why the chat refuses. A limit (429) refuses the profile alone, and
      // with it whether consent is asked for.
      return (fault as Failure).status! < 429 || (!!(fault as Failure).retry_after && (fault as Failure));
    }
    await new Promise<void>((resolve) => chat.consent.subscribe((consent) => consent || resolve()));
    return true;
  }

  const chat: Chat = {
    client,
    storage,
    emit: (name, detail) => void host.dispatchEvent(new CustomEvent(name, { detail })),
    profile,
    isOpen: signal(closed ? false : undefined),
    consent: computed(() => !isAgreed.value && profile.value.consent),
    words: computed(() => ({ ...en, ...locale.value?.words, ...profile.value.words, ...options.words })),
    locale,
    turns: signal([]),
    controller: new AbortController(),
    history: signal('loading'),
    draft: signal(draft),
    card: signal(undefined),
    latest: signal(undefined),
    isBusy: computed(() => chat.turns.value.some((turn) => !hasEnded(turn.status.value))),

    // Inline, the chat is the page's content; in a frame, it would be the page's.
    targetOf: (href) =>
      parseAddress(href)?.origin === location.origin && top === self && !('inline' in host.dataset)
        ? '_self'
        : '_blank',
    report(fault) {
      const { code, error = '', status = 0 } = fault as Partial<Failure>;
      // That of a DOMException is a number.
      chat.emit('error', { code: code?.[0] ? code : 'network', error, status });
    },
    prepare: () => (ready ??= loadProfile()),
    agree() {
      isAgreed.value = true;
      storage.write({ agreed: true });
    },
    open(how = true) {
      if (chat.isOpen.peek()) return;
      chat.isOpen.value = how;
      void chat.prepare();
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
      // Not by the page alone: nothing is stored before the visitor acts. Firefox 115 cannot tell.
      if (navigator.userActivation?.hasBeenActive ?? true) storage.write({ closed: true });
    },
    write(text) {
      chat.draft.value = text;
      storage.write({ draft: text });
    },
    send() {
      const query = chat.draft.peek();
      chat.write('');
      chat.ask(query);
    },
    ask(text, before, variables = before?.variables) {
      const query = text.trim();
      if (!query) return;
      chat.open();
      const turns = chat.turns.peek();
      // A conflict: another tab has asked meanwhile.
      const isReplaced = turns.at(-1) === before && before?.status.peek().reason !== 'conflict';
      const replaces = isReplaced ? (before?.message ?? before?.replaces) : undefined;
      const turn = createTurn({ query, replaces, variables, earlier: before?.record });
      chat.turns.value = [...turns.filter((one) => one !== before), turn];
      chat.emit('ask', { query });
      chat.start(turn);
    },
    start(turn) {
      if (!turn.message) saveQuestion(chat, turn, true);
      // An exception fails this turn only: later turns wait on this promise.
      lastAnswer = lastAnswer.then(() => streamAnswer(chat, turn)).catch((fault: unknown) => chat.fail(turn, fault));
    },
    retry(turn) {
      if (turn.status.peek().reason === 'network') {
        turn.status.value = { is: 'waiting' };
        return chat.start(turn);
      }
      saveQuestion(chat, turn, false);
      chat.ask(turn.query, turn);
    },
    fail(turn, fault) {
      turn.status.value = { is: 'failed', reason: 'bad_answer' };
      chat.report({ code: 'bad_answer', error: String(fault) });
    },
    stop: () => stopAnswers(chat),
    startOver() {
      const { session, last, past = [], sent = {} } = storage.read();
      // A question that has not arrived is not lost.
      if (!chat.draft.peek()) chat.write(Object.values(sent).findLast(Boolean)?.query ?? '');
      const title = chat.turns.peek()[0]?.query.slice(0, MAX_TITLE);
      chat.clear();
      chat.history.value = 'read';
      if (session) past.unshift({ session, last, title, at: Date.now() });
      storage.write({ session: undefined, last: undefined, sent: undefined, past: past.slice(0, MAX_PAST) });
    },
    setCard(place, detail) {
      chat.card.value = place;
      if (detail) chat.emit('citation', detail);
    },
    async restore(event) {
      const { session, sent } = storage.read();
      const { signal } = chat.controller;
      // A first visit has nothing to load.
      if (!session && !sent && !chat.turns.peek()[0]) chat.history.value = 'read';
      else
        try {
          const history = await import('./history.ts');
          if (!signal.aborted) await history.load(chat, { createTurn, applyRecord }, event);
        } catch (fault) {
          chat.history.value = 'failed';
          chat.report(fault);
        }
    },
    clear() {
      chat.controller.abort();
      chat.controller = new AbortController();
      chat.latest.value = undefined;
      chat.turns.value = [];
    },
  };
  return chat;
}
