import type { Logger } from 'pino';
import type { Question } from '../../answer/runs.ts';
import type { Run } from '../../answer/run.ts';
import type { Store } from '../../store/store.ts';
import { upstreamFailed } from './errors.ts';
import type { RemoteChatbots } from './remote-chatbots.ts';
import { readSessionUuid } from './remote-records.ts';
import type { RemoteClient } from './remote-client.ts';

/** Maps sessions to those of the remote server. */
interface RemoteSessions {
  /** The id of the remote session, which is created where there is none, or where the remote server no longer knows `lost`. */
  idFor(question: Question, run: Run, lost?: string): Promise<string>;
  /** Resolves when a remote session that is being created is stored. */
  whenStored(session: string): Promise<void>;
}

interface RemoteSessionsDeps {
  client: RemoteClient;
  chatbots: RemoteChatbots;
  store: Store;
  log: Logger;
}

export function createRemoteSessions({ client, chatbots, store, log }: RemoteSessionsDeps): RemoteSessions {
  // Two questions at the same moment share the session that the first one creates.
  const creating = new Map<string, { id: Promise<string>; stored: Promise<void> }>();

  async function create({ chatbot, session }: Question, lost: string): Promise<string> {
    const stored = await store.session(session.uuid);
    if (stored?.foreign && stored.foreign !== lost) return stored.foreign;
    const name = chatbots.nameOf(chatbot.uuid);
    const foreign = readSessionUuid(await client.createSession(name, session.initial_variables));
    if (foreign === undefined) throw upstreamFailed('a new session without a uuid');
    return foreign;
  }

  /** Waits for the session, which is stored while its first answer is made. */
  async function save(session: string, id: Promise<string>, run: Run): Promise<void> {
    try {
      const foreign = await id;
      await run.stored;
      await store.updateSession(session, (record) => ({ ...record, foreign }));
    } catch (error) {
      log.warn({ err: (error as Error).cause ?? error }, 'no session of the upstream server was kept');
    } finally {
      creating.delete(session);
    }
  }

  return {
    async idFor(question, run, lost = '') {
      const { uuid, foreign } = question.session;
      if (foreign && foreign !== lost) return foreign;
      const known = creating.get(uuid);
      if (known) return known.id;
      const id = create(question, lost);
      creating.set(uuid, { id, stored: save(uuid, id, run) });
      return id;
    },
    async whenStored(session) {
      await creating.get(session)?.stored;
    },
  };
}
