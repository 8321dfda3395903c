import { cloneJson } from './clone-json.ts';
import { outcomeIn } from './outcomes.ts';
import type { Store, StoredMessage, StoredSession } from './store.ts';

type SessionVerbs = Pick<
  Store,
  | 'createSession'
  | 'session'
  | 'chatbotOf'
  | 'updateSession'
  | 'deleteSession'
  | 'saveMessage'
  | 'updateMessage'
  | 'message'
  | 'messages'
  | 'hasOutcome'
  | 'lastMessages'
  | 'deleteMessage'
>;

/**
 * The store, but what is a new session stays in memory, with its messages, and ends with the process. Lists of sessions have
 * the stored ones alone.
 */
export const withSessionsInMemory = ({ answers: _answers, ...store }: Store): Store => ({
  ...store,
  ...sessionVerbs(store),
  /** Nor any that the chatbot's figures count. */
  addFigures: async () => {},
  /** What a model was asked for is spent; the messages are none that the owner's usage counts. */
  async addUsage(usage) {
    if (usage.credits + usage.tokens > 0) await store.addUsage({ ...usage, messages: 0 });
  },
});

function sessionVerbs(store: Store): SessionVerbs {
  const sessions = new Map<string, { session: StoredSession; messages: Map<string, StoredMessage> }>();
  /** By message. */
  const sessionOf = new Map<string, string>();
  const holderOf = (message: string) => sessions.get(sessionOf.get(message) ?? '');
  /** Messages, of which what is written later is refused. */
  const deleted = new Set<string>();
  const create = async (session: StoredSession): Promise<boolean> => {
    if (sessions.has(session.uuid) || !(await store.chatbot(session.chatbot))) return false;
    sessions.set(session.uuid, { session: cloneJson(session), messages: new Map() });
    return true;
  };

  return {
    createSession: create,
    async session(uuid) {
      return cloneJson(sessions.get(uuid)?.session) ?? store.session(uuid);
    },
    async chatbotOf(session) {
      return sessions.get(session)?.session.chatbot ?? store.chatbotOf(session);
    },
    async updateSession(uuid, change) {
      const held = sessions.get(uuid);
      if (!held) return store.updateSession(uuid, change);
      held.session = cloneJson(change(cloneJson(held.session)));
      return cloneJson(held.session);
    },
    async deleteSession(uuid, before) {
      for (const message of sessions.get(uuid)?.messages.keys() ?? []) sessionOf.delete(message);
      return sessions.delete(uuid) || store.deleteSession(uuid, before);
    },

    async saveMessage(message, session) {
      if (session && !sessions.has(session.uuid)) await create(session);
      const held = sessions.get(message.session);
      if (!held) return store.saveMessage(message);
      if (deleted.has(message.uuid)) return false;
      held.messages.set(message.uuid, cloneJson(message));
      sessionOf.set(message.uuid, message.session);
      const { modified_at } = message;
      if (modified_at > held.session.modified_at) held.session = { ...held.session, modified_at };
      return true;
    },
    async updateMessage(uuid, change) {
      const messages = holderOf(uuid)?.messages;
      if (!messages) return store.updateMessage(uuid, change);
      const changed = cloneJson(change(cloneJson(messages.get(uuid)!)));
      messages.set(uuid, changed);
      return cloneJson(changed);
    },
    async message(uuid) {
      return cloneJson(holderOf(uuid)?.messages.get(uuid)) ?? store.message(uuid);
    },
    async messages(session) {
      const held = sessions.get(session);
      return held ? cloneJson([...held.messages.values()]) : store.messages(session);
    },
    async hasOutcome(session, outcome) {
      const held = sessions.get(session);
      if (!held) return store.hasOutcome(session, outcome);
      return [...held.messages.values()].some(({ meta_json }) => outcomeIn(meta_json) === outcome);
    },
    async lastMessages(session, count) {
      const held = sessions.get(session);
      if (!held) return store.lastMessages(session, count);
      const finished = [...held.messages.values()].filter((one) => one.finish_reason !== '' && one.response !== '');
      return cloneJson(finished.slice(-count));
    },
    async deleteMessage(uuid) {
      const held = holderOf(uuid);
      if (!held) return store.deleteMessage(uuid);
      deleted.add(uuid);
      sessionOf.delete(uuid);
      return held.messages.delete(uuid);
    },
  };
}
