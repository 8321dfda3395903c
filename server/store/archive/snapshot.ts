import type { AuditEntry, AuditScope } from '../shared/audit.ts';
import type { Store, StoredChatbot, StoredReply, Usage } from '../store.ts';

type Listed =
  | 'owner'
  | 'users'
  | 'keys'
  | 'signIns'
  | 'chatbot'
  | 'agents'
  | 'tags'
  | 'sites'
  | 'source'
  | 'sources'
  | 'file'
  | 'document'
  | 'vectors'
  | 'session'
  | 'sessionBatches'
  | 'messages'
  | 'figures'
  | 'cited';

/** All that a store holds. */
export interface Snapshot extends Pick<Store, Listed> {
  facts(): Promise<Record<string, string>>;
  /** Of all owners. */
  allChatbots(): Promise<StoredChatbot[]>;
  /** Of all owners, those that are gone too. */
  allUsage(): AsyncIterable<Usage>;
  replies(): AsyncIterable<StoredReply>;
  /** A log, some entries at a time, oldest first. */
  wholeAudit(scope: AuditScope): AsyncIterable<AuditEntry[]>;
}

export interface SnapshotOptions {
  /** Records that are no JSON objects are left out, where else reading fails; false by default. Of files they always are. */
  skipsUnreadable?: boolean;
}

/**
 * A store that can be read whole, while others write. Of PostgreSQL it is what was stored when `act` began; of files, each
 * record is as it was at one moment in between, and what was stored before and not deleted is there.
 */
export interface SnapshotStore extends Store {
  snapshot<T>(act: (all: Snapshot) => Promise<T>, options?: SnapshotOptions): Promise<T>;
}

/** What an export needs of one. */
export type SnapshotReader = Pick<SnapshotStore, 'snapshot' | 'close'>;
