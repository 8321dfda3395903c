import type { StoredSession } from './store.ts';

/** The session whose last message was modified then. */
export const withModifiedAt = (session: StoredSession, modified: string): StoredSession =>
  modified > session.modified_at ? { ...session, modified_at: modified } : session;
