import type { KeyedMutex } from '../../async/keyed-mutex.ts';
import type { AuditFiles } from './audit.ts';
import type { Chatbots } from './chatbots.ts';
import type { SubRecords } from './sub-records.ts';
import type { MessageIndex } from './found/message-index.ts';
import type { IndexFolder } from './index-files.ts';
import type { FigureFiles } from './figures.ts';
import type { Replies } from './replies.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Sources } from './sources/sources.ts';
import type { UsageFiles } from './usage.ts';
import type { StoredAgent, StoredSite, StoredTag } from '../store.ts';
import type { RunVerb, InFlight } from '../in-flight.ts';

/** What the verbs of the default store work with. */
export interface StoreContext {
  chatbots: Chatbots;
  agents: SubRecords<StoredAgent>;
  tags: SubRecords<StoredTag>;
  sites: SubRecords<StoredSite>;
  sources: Sources;
  indexes: IndexFolder;
  sessions: Sessions;
  found: MessageIndex;
  replies: Replies;
  usage: UsageFiles;
  figures: FigureFiles;
  audit: AuditFiles;
  /** The next number in order of creation. */
  nextOrder(): number;
  /** By chatbot: serialises the creation of it and of its sources, so that none is created twice. */
  mutex: KeyedMutex;
  inFlight: InFlight;
  run: RunVerb;
}
