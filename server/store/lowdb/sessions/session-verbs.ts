import { setImmediate } from 'node:timers/promises';
import type { StoreContext } from '../context.ts';
import { outcomeIn } from '../../outcomes.ts';
import { cloneJson } from '../../clone-json.ts';
import type { SessionFile } from './session-file.ts';
import { messageLine } from './session-lines.ts';
import type { Store, StoredSession } from '../../store.ts';
import type { ListOrder } from '../../shared/session-records.ts';

type SessionVerbs =
  | 'createSession'
  | 'session'
  | 'chatbotOf'
  | 'sessions'
  | 'sessionBatches'
  | 'sessionTimes'
  | 'updateSession'
  | 'deleteSession';
type MessageVerbs =
  | 'saveMessage'
  | 'updateMessage'
  | 'message'
  | 'messages'
  | 'hasOutcome'
  | 'lastMessages'
  | 'deleteMessage'
  | 'findMessages';

export function sessionVerbs({
  chatbots,
  sessions,
  found,
  nextOrder,
  run,
}: StoreContext): Pick<Store, SessionVerbs | MessageVerbs> {
  const noteChange = <T>(file: SessionFile, stored: T): T => {
    found.changed(file.name);
    return stored;
  };
  /** What the first session that may have the message makes of it. */
  const withMessage = <T>(uuid: string, act: (file: SessionFile) => T | Promise<T>) =>
    run(async () => {
      for (const session of await sessions.candidates(uuid)) {
        const made = await sessions.use(session, act);
        if (made) return made;
      }
      return undefined;
    });

  async function batches(
    chatbot: string,
    after?: string,
    order?: ListOrder,
  ): Promise<AsyncGenerator<StoredSession[]> | undefined> {
    const next = await run(() => sessions.list(chatbot, after, order));
    return next && eachBatch(() => run(next));
  }

  return {
    async createSession(session) {
      const [head, place] = [cloneJson(session), nextOrder()];
      return (await run(() => sessions.useOrCreate(head, place, (file) => file.write()))) ?? false;
    },
    session: (uuid) => run(() => sessions.use(uuid, (file) => file.head())),
    chatbotOf: (session) => run(() => sessions.chatbotOf(session)),
    async sessions(chatbot) {
      const all: StoredSession[] = [];
      for await (const some of (await batches(chatbot)) ?? []) all.push(...some);
      return (await run(() => chatbots.has(chatbot))) ? all : [];
    },
    sessionBatches: batches,
    async *sessionTimes(chatbot) {
      yield* (await batches(chatbot)) ?? [];
    },
    updateSession: (uuid, change) =>
      run(() => sessions.use(uuid, async (file) => noteChange(file, await file.update(change)))),
    deleteSession: (uuid, before) => run(() => sessions.remove(uuid, before)),

    async saveMessage(message, session) {
      const line = messageLine(message);
      const uuid = message.session;
      const head = session && cloneJson(session);
      const place = session ? nextOrder() : 0;
      const save = async (file: SessionFile) => {
        const isSaved = await file.save(line);
        return line.finished ? noteChange(file, isSaved) : isSaved;
      };
      const saved = run(() => (head ? sessions.useOrCreate(head, place, save) : sessions.use(uuid, save)));
      return (await saved) ?? false;
    },
    updateMessage: (uuid, change) =>
      withMessage(uuid, async (file) => noteChange(file, await file.updateMessage(uuid, change))),
    message: (uuid) => withMessage(uuid, (file) => file.message(uuid)),
    messages: async (session) => (await run(() => sessions.use(session, (file) => file.messages()))) ?? [],
    async hasOutcome(session, outcome) {
      // As a line has it, in which meta_json is a string.
      const words = JSON.stringify(`"outcome":"${outcome}"`).slice(1, -1);
      return run(async () => {
        if (!(await sessions.mayHold(session, words))) return false;
        const messages = (await sessions.use(session, (file) => file.messages())) ?? [];
        return messages.some(({ meta_json }) => outcomeIn(meta_json) === outcome);
      });
    },
    lastMessages: async (session, count) => (await run(() => sessions.use(session, (file) => file.last(count)))) ?? [],
    async deleteMessage(uuid) {
      const remove = (file: SessionFile) =>
        file.message(uuid) ? found.deleting(file.name, () => file.remove(uuid)) : file.remove(uuid);
      return (await withMessage(uuid, remove)) ?? false;
    },
    findMessages: (chatbot, filter, options) =>
      run(async () => (chatbots.has(chatbot) ? found.find(chatbot, filter, options) : { messages: [], next: '' })),
  };
}

/** Others have their turn between the batches, though all of them be in memory. */
async function* eachBatch<T>(next: () => Promise<T | undefined>): AsyncGenerator<T> {
  for (let some; (some = await next()) !== undefined; await setImmediate()) yield some;
}
