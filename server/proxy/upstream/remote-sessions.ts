import type { Logger } from 'pino';
import type { Question } from '../../answer/runs.ts';
import type { Run } from '../../answer/run.ts';
import type { Store } from '../../store/store.ts';
import { upstreamFailed } from './errors.ts';
import type { RemoteChatbots } from './remote-chatbots.ts';
import { readSessionUuid } from './remote-records.ts';
import type { RemoteClient } from './remote-client.ts';

/** Which session of the other server stands behind each of the door's own. */
export interface RemoteSessions {
  /** Made where there is none yet, or where the other server no longer knows `lost`. */
  idFor(question: Question, run: Run, lost?: string): Promise<string>;
  /** Resolves when what was made for a session is stored. */
  whenStored(session: string): Promise<void>;
}

interface RemoteSessionsDeps {
  client: RemoteClient;
  chatbots: RemoteChatbots;
  store: Store;
  log: Logger;
}

export function createRemoteSessions({ client, chatbots, store, log }: RemoteSessionsDeps): RemoteSessions {
  // Two questions at the same moment share the session that the first one makes.
  const making = new Map<string, { made: Promise<string>; kept: Promise<void> }>();

  async function make({ chatbot, session }: Question, lost: string): Promise<string> {
    const stored = await store.session(session.uuid);
    if (stored?.foreign && stored.foreign !== lost) return stored.foreign;
    const name = chatbots.nameOf(chatbot.uuid);
    const foreign = readSessionUuid(await client.createSession(name, session.initial_variables));
    if (foreign === undefined) throw upstreamFailed('a new session without a uuid');
    return foreign;
  }

  /** Beside the answer, since the session itself may not be stored yet. */
  async function keep(session: string, made: Promise<string>, run: Run): Promise<void> {
    try {
      const foreign = await made;
      await run.stored;
      await store.updateSession(session, (record) => ({ ...record, foreign }));
    } catch (error) {
      log.warn({ err: (error as Error).cause ?? error }, 'no session of the server behind the door was kept');
    } finally {
      making.delete(session);
    }
  }

  return {
    async idFor(question, run, lost = '') {
      const { uuid, foreign } = question.session;
      if (foreign && foreign !== lost) return foreign;
      const known = making.get(uuid);
      if (known) return known.made;
      const made = make(question, lost);
      making.set(uuid, { made, kept: keep(uuid, made, run) });
      return made;
    },
    async whenStored(session) {
      await making.get(session)?.kept;
    },
  };
}
