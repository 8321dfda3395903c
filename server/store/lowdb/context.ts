import type { KeyedMutex } from '../../async/keyed-mutex.ts';
import type { Chatbots } from './chatbots.ts';
import type { Parts } from './chatbot-parts.ts';
import type { Replies } from './replies.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Sources } from './sources/sources.ts';
import type { StoredAgent, StoredSite, StoredTag } from '../store.ts';
import type { Run, InFlight } from './in-flight.ts';

/** What the verbs of the default store work with. */
export interface StoreContext {
  chatbots: Chatbots;
  agents: Parts<StoredAgent>;
  tags: Parts<StoredTag>;
  sites: Parts<StoredSite>;
  sources: Sources;
  sessions: Sessions;
  replies: Replies;
  /** The next number in order of creation. */
  order(): number;
  /** By chatbot: held while it, or a source of it, is created, so that none is created twice. */
  mutex: KeyedMutex;
  underWay: InFlight;
  run: Run;
}
