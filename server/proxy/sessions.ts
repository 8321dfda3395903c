import { notFound } from '../schema/errors.ts';
import { newUuid, readUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../store/store.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The sessions of visitors. A session's identifier is the only proof that it is the visitor's own. */
export interface VisitorSessions {
  /** The session, if it is one of this chatbot's. */
  own(chatbot: StoredChatbot, written: string): Promise<StoredSession>;
  /** A record that is still to be stored. */
  begin(chatbot: StoredChatbot, variables: StoredSession['initial_variables'], uuid?: string): StoredSession;
  /** The visitor knows of a session before it is stored: until then those who ask for it wait. */
  storing(uuid: string, stored: Promise<unknown>): void;
}

interface Rooms {
  store: Store;
  upstream: Upstream;
  clock: Clock;
}

export function createVisitorSessions({ store, upstream, clock }: Rooms): VisitorSessions {
  const underWay = new Map<string, Promise<unknown>>();

  return {
    async own(chatbot, written) {
      const uuid = readUuid(written);
      if (uuid === undefined) throw notFound('session');
      await underWay.get(uuid);
      const session = await store.session(uuid);
      if (session?.chatbot !== chatbot.uuid) throw notFound('session');
      return session;
    },

    begin(chatbot, variables, uuid = newUuid()) {
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

    storing(uuid, stored) {
      const known = (): boolean => underWay.delete(uuid);
      underWay.set(uuid, stored.then(known, known));
    },
  };
}
