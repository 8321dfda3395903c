import { notFound } from '../schema/errors.ts';
import { newUuid, readUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../store/store.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The sessions of visitors. Knowing a session's id is the only authorization for it. */
export interface VisitorSessions {
  /** Throws `not_found` where it is not a session of this chatbot. */
  find(chatbot: StoredChatbot, id: string): Promise<StoredSession>;
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

  return {
    async find(chatbot, id) {
      const uuid = readUuid(id);
      if (uuid === undefined) throw notFound('session');
      await storing.get(uuid);
      const session = await store.session(uuid);
      if (session?.chatbot !== chatbot.uuid) throw notFound('session');
      return session;
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
