import { notFound } from '../schema/errors.ts';
import { newUuid, readUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../store/store.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The sessions of visitors. A session's identifier is the only proof that it is the visitor's own. */
export interface VisitorSessions {
  /** The session, if it is one of this chatbot's. */
  find(chatbot: StoredChatbot, written: string): Promise<StoredSession>;
  /** A record that is still to be stored. */
  create(chatbot: StoredChatbot, variables: StoredSession['initial_variables'], uuid?: string): StoredSession;
  /** The visitor knows of a session before it is stored: until then those who ask for it wait. */
  waitForStorage(uuid: string, stored: Promise<unknown>): void;
}

interface SessionDeps {
  store: Store;
  upstream: Upstream;
  clock: Clock;
}

export function createVisitorSessions({ store, upstream, clock }: SessionDeps): VisitorSessions {
  const underWay = new Map<string, Promise<unknown>>();

  return {
    async find(chatbot, written) {
      const uuid = readUuid(written);
      if (uuid === undefined) throw notFound('session');
      await underWay.get(uuid);
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
      const known = (): boolean => underWay.delete(uuid);
      underWay.set(uuid, stored.then(known, known));
    },
  };
}
