import { timestamp, type Clock } from '../schema/ids.ts';
import { newAuditUuid, scopeOf, type AuditEntry, type AuditedBy } from '../store/shared/audit.ts';
import { groupBy } from '../store/shared/figures.ts';
import type { Store } from '../store/store.ts';
import type { Identity } from './auth.ts';

/** What is done beside the API, in words. */
export const BESIDE_API = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  endSignIn: 'End a sign-in',
  createLoginLink: 'Make a link that signs in',
  createKey: 'Make an API key',
  revokeKey: 'Revoke an API key',
  addPasskey: 'Add a passkey',
  removePasskey: 'Remove a passkey',
  acceptInvitation: 'Accept an invitation',
  addUser: 'Add a user',
  removeUser: 'Remove a user',
  exportArchive: 'Export everything',
};

/** What was done. In the log of `chatbot`, else in that of the user `account`. */
export interface Audited extends Partial<Pick<AuditEntry, 'chatbot' | 'account' | 'record' | 'detail'>> {
  operation: string;
}

/** Writes the audit log. What it resolves for is stored; where the store refuses it, it rejects as that does. */
export interface Audit {
  /**
   * Of what has been done. What the store refuses is written with the next change, and in between named in the server's log: with the
   * end of the process it is lost.
   */
  changed(identity: Identity, all: readonly Audited[]): Promise<void>;
  /** Before anything is handed out. The same read again by the same key or sign-in within an hour is no entry more. */
  read(identity: Identity, one: Audited): Promise<void>;
}

interface AuditDeps {
  store: Pick<Store, 'addAudit'>;
  clock: Clock;
  log: { error(fields: object, sentence: string): void };
}

/** Of whoever has a shell on the server. */
export const SHELL: AuditedBy = { type: 'shell', uuid: '', hint: '' };

/** Milliseconds in which a repeated read is no new entry, and reads that are known at most. */
const [READ_MS, MAX_READS] = [3_600_000, 10_000];
/** Changes that wait for the store to take them. */
const MAX_LATE = 10_000;

export function createAudit({ store, clock, log }: AuditDeps): Audit {
  const reads = new Map<string, { at: number; stored: Promise<void> }>();
  let late: AuditEntry[] = [];

  function entryOf({ user, by }: Identity, { operation, ...what }: Audited): AuditEntry {
    const now = clock();
    const [uuid, at] = [newAuditUuid(now), timestamp(() => now)];
    const { chatbot = '', account = '', record = '', detail = '' } = what;
    return { uuid, at, chatbot, account, user: user.uuid, by, operation, record, detail };
  }

  /** Each log by itself: what one refuses is late, and rejects once the others have taken theirs. */
  async function write(entries: readonly AuditEntry[]): Promise<void> {
    const logs = [...groupBy(entries, scopeOf).values()];
    const written = await Promise.allSettled(logs.map((some) => store.addAudit(some)));
    late = [...late, ...logs.filter((_, at) => written[at]!.status === 'rejected').flat()].slice(-MAX_LATE);
    for (const one of written) if (one.status === 'rejected') throw one.reason;
  }

  return {
    async changed(identity, all) {
      const entries = all.map((one) => entryOf(identity, one));
      const before = late;
      late = [];
      // What waits for another log fails nobody's request.
      await write(before).catch(() => {});
      await write(entries).catch((error: unknown) => {
        // Without the record: that of a conversation is a secret.
        for (const { user, operation } of entries)
          log.error({ user, operation }, 'the audit log could not take what was done; it is tried again with the next');
        throw error;
      });
    },

    async read(identity, one) {
      const { user, by } = identity;
      const key = [user.uuid, by.type, by.uuid, one.operation, one.chatbot, one.account, one.record].join(' ');
      const now = clock();
      const known = reads.get(key);
      if (known && now - known.at < READ_MS) return known.stored;
      const stored = store.addAudit([entryOf(identity, one)]);
      // Behind the others: the first is the oldest.
      reads.delete(key);
      reads.set(key, { at: now, stored });
      for (const oldest of reads.keys()) if (reads.size > MAX_READS) reads.delete(oldest);
      stored.catch(() => {
        if (reads.get(key)?.stored === stored) reads.delete(key);
      });
      return stored;
    },
  };
}
