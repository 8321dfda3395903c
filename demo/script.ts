import type { ChatEvent, ChatbotProfile, Citations, FinishReason, VisitorMessage } from '../server/types.ts';
import type { Client, WireEvent } from '../widget/client/client.ts';
import type { ChatStorage, StoredChat } from '../widget/browser/storage.ts';

/** A scripted client: shows the widget without a server. */

export interface Script {
  /** Overrides fields of `demoProfile`. */
  profile?: Partial<ChatbotProfile>;
  /** Messages of the stored conversation. */
  messages?: VisitorMessage[];
  /** Streams the answer to each question. */
  answer: (query: string, signal: AbortSignal) => AsyncIterable<WireEvent>;
  resume?: (signal: AbortSignal) => AsyncIterable<WireEvent>;
}

export const demoProfile: ChatbotProfile = {
  uuid: 'c0ffee',
  name: 'Tolliver & Wren',
  show_citations: true,
  site: 'tolliverandwren.example',
  by_ai: true,
  greeting: 'Hello! What can I help you with?',
  suggestions: ['How long do I have to return something?', 'Do you ship to Canada?', 'Is my order insured?'],
  theme: {},
  words: {},
  scheme: 'auto',
  density: 'comfortable',
  position: 'end',
  icon: 'chat',
  label: '',
  title: '',
  avatar: '',
  teaser: '',
  teaser_after: 5,
  triggers: [],
  open: false,
  sound: false,
  disclaimer: '',
  privacy_url: '',
  contact: 'hello@tolliverandwren.example',
  consent: '',
  image_hosts: [],
  language: '',
};

export function createMessage(
  query: string,
  response: string,
  citations: Citations = {},
  finish_reason: FinishReason = 'stop',
): VisitorMessage {
  const at = '2026-11-20T09:30:00Z';
  const cite_data_json = JSON.stringify(citations);
  return {
    uuid: 'm1',
    query,
    response,
    finish_reason,
    cite_data_json,
    feedback_json: '{}',
    created_at: at,
    modified_at: at,
  };
}

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Resolves when the signal aborts. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

/** The first events of any answer. */
export function* firstEvents(): Generator<ChatEvent> {
  yield { event: 'session', data: { uuid: 's1' } };
  yield { event: 'message', data: { uuid: 'm1' } };
}

/** The text in pieces about as long as a model's. */
export async function* streamText(text: string, signal: AbortSignal, pace = 28): AsyncGenerator<ChatEvent> {
  let id = 0;
  for (const piece of text.match(/\s*\S{1,7}/g) ?? []) {
    if (signal.aborted) return;
    id += piece.length;
    yield { event: 'delta', id, data: { text: piece } };
    if (pace) await sleep(pace, signal);
  }
}

export async function* streamAnswer(answer: VisitorMessage, signal: AbortSignal, pace = 0): AsyncGenerator<ChatEvent> {
  yield* firstEvents();
  yield* streamText(answer.response, signal, pace);
  yield { event: 'done', data: answer };
}

export function createScriptedClient(script: Script): Client {
  let stopped = new AbortController();
  const orStopped = (signal: AbortSignal): AbortSignal => {
    stopped = new AbortController();
    return AbortSignal.any([signal, stopped.signal]);
  };
  return {
    profile: async () => ({ ...demoProfile, ...script.profile }),
    ask: ({ query }, signal) => script.answer(query, orStopped(signal)),
    resume: (_message, _from, signal) => (script.resume ?? ((signal) => script.answer('', signal)))(orStopped(signal)),
    messages: async () => script.messages ?? [],
    forget: async () => undefined,
    post: async (_message, path) => {
      if (path === 'stop') stopped.abort();
      return undefined;
    },
  };
}

/** Chat storage in memory: lasts until the page unloads. */
export function pageStorage(stored: StoredChat = {}): ChatStorage {
  return { read: () => stored, write: (change) => void (stored = { ...stored, ...change }) };
}
