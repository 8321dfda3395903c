import { computed, effect, signal } from '@preact/signals';
import type { ChatbotFace } from '../../server/types.ts';
import { answer, fail, keep, stop } from './stream.ts';
import { createClient, type Failure } from '../client/client.ts';
import { restore } from './history.ts';
import { createMemory } from '../browser/memory.ts';
import { createSpeech } from '../browser/locale.ts';
import { hasEnded } from './status.ts';
import { createTurn } from './turn.ts';
import type { Chat, ChatOptions } from './types.ts';
import { en } from '../words/en.ts';

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
