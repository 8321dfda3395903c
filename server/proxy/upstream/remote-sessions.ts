import { createHash } from 'node:crypto';
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
  /** To be called when an answer of the session begins. */
  begin(session: string): void;
  /** To be called when it has ended: deletes a remote session that is not the session's, once no answer may be made in it. */
  end(session: string): Promise<void>;
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
  // Another process has stored its own first, or the session is gone; its answer is still made in this one.
  const surplus = new Map<string, string>();
  /** Answers under way, by session. */
  const answers = new Map<string, number>();

  async function create({ chatbot, session }: Question, lost: string): Promise<string> {
    const stored = await store.session(session.uuid);
    if (stored?.foreign && stored.foreign !== lost) return stored.foreign;
    const name = chatbots.nameOf(chatbot.uuid);
    const { initial_variables: variables } = session;
    const key = createHash('sha256')
      .update(JSON.stringify([session.uuid, lost, variables]))
      .digest('hex');
    const foreign = readSessionUuid(await client.createSession(name, variables, key));
    if (foreign === undefined) throw upstreamFailed('a new session without a uuid');
    return foreign;
  }

  /** Waits for the session, which is stored while its first answer is made. */
  async function save(session: string, id: Promise<string>, run: Run, lost: string): Promise<void> {
    try {
      const foreign = await id;
      await run.stored;
      const isFree = (other = ''): boolean => other === '' || other === lost;
      const stored = await store.updateSession(session, (record) =>
        isFree(record.foreign) ? { ...record, foreign } : record,
      );
      if (stored?.foreign !== foreign) surplus.set(session, foreign);
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
      creating.set(uuid, { id, stored: save(uuid, id, run, lost) });
      return id;
    },
    async whenStored(session) {
      await creating.get(session)?.stored;
    },
    begin(session) {
      answers.set(session, (answers.get(session) ?? 0) + 1);
    },
    async end(session) {
      const others = answers.get(session)! - 1;
      if (others > 0) return void answers.set(session, others);
      answers.delete(session);
      await creating.get(session)?.stored;
      // One that has begun meanwhile may be made in it.
      if (answers.has(session)) return;
      const foreign = surplus.get(session);
      if (foreign === undefined) return;
      surplus.delete(session);
      await client.deleteSession(foreign).catch((error: unknown) => {
        log.warn(
          { err: (error as Error).cause ?? error },
          'a session of the upstream server that is not used was not deleted',
        );
      });
    },
  };
}
