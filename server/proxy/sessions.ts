import { notFound } from '../schema/errors.ts';
import { newUuid, readUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../store/store.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The sessions of visitors. Knowing a session's id is the only authorization for it. */
export interface VisitorSessions {
  /** Throws `not_found` where it is not a session of this chatbot. */
  find(chatbot: StoredChatbot, id: string): Promise<StoredSession>;
  /** The uuid of a session of this chatbot, even where it cannot be read; throws as `find`. */
  findUuid(chatbot: StoredChatbot, id: string): Promise<string>;
  /** A new record, not stored yet. */
  create(chatbot: StoredChatbot, variables: StoredSession['initial_variables'], uuid?: string): StoredSession;
  /** `find` waits for `stored`: the visitor gets the id of a session before it is stored. */
  waitForStorage(uuid: string, stored: Promise<unknown>): void;
}

interface SessionDeps {
  store: Store;
  upstream: Upstream;
  clock: Clock;
}

export function createVisitorSessions({ store, upstream, clock }: SessionDeps): VisitorSessions {
  const storing = new Map<string, Promise<unknown>>();
  const storedUuid = async (id: string): Promise<string> => {
    const uuid = readUuid(id);
    if (uuid === undefined) throw notFound('session');
    await storing.get(uuid);
    return uuid;
  };

  return {
    async find(chatbot, id) {
      const session = await store.session(await storedUuid(id));
      if (session?.chatbot !== chatbot.uuid) throw notFound('session');
      return session;
    },

    async findUuid(chatbot, id) {
      const uuid = await storedUuid(id);
      if ((await store.chatbotOf(uuid)) !== chatbot.uuid) throw notFound('session');
      return uuid;
    },

    create(chatbot, variables, uuid = newUuid()) {
      const now = timestamp(clock);
      return {
        uuid,
        created_at: now,
        modified_at: now,
        chatbot: chatbot.uuid,
        ...(variables ? { initial_variables: variables } : {}),
        ...upstream.newSession,
      };
    },

    waitForStorage(uuid, stored) {
      const remove = (): boolean => storing.delete(uuid);
      storing.set(uuid, stored.then(remove, remove));
    },
  };
}
