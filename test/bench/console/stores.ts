import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { makeSchema } from '../../store/postgres/fixture.ts';
import { startDatabase } from '../scale/cluster.ts';
import type { Conversation } from './made-up.ts';

/** Where a server keeps what is measured. */
export interface Kept {
  env: NodeJS.ProcessEnv;
  /** While no server runs: writes what is read as conversations of one version before, which are the fastest to write. */
  fill(all: Iterable<Conversation>): Promise<void>;
  remove(): Promise<void>;
}

/** Places of other records between two conversations: sources, and other chatbots' conversations. */
const STEP = 3;
/** Of the folder's first life, behind what the server has made in it. */
const FIRST_PLACE = 2 ** 32 + 1_000_000;
const BATCH = 2000;

export async function keptInFiles(): Promise<Kept> {
  const dir = await mkdtemp(join(tmpdir(), 'docent-bench-console-'));
  const root = join(dir, 'sessions');
  return {
    env: { DATA_DIR: dir },
    async fill(all) {
      for (let at = 0; at < 256; at++)
        await mkdir(join(root, at.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 });
      let order = FIRST_PLACE;
      for (const some of batches(all)) {
        const files = some.map(({ session, messages }) => {
          const { uuid, chatbot } = session;
          order += STEP;
          const lines = [session, ...messages].map((record) => `${JSON.stringify(record)}\n`);
          const path = join(root, uuid.slice(0, 2), `${uuid}.${chatbot}.${order.toString(36)}.jsonl`);
          return writeFile(path, lines.join(''), { mode: 0o600 });
        });
        await Promise.all(files);
      }
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

export async function keptInDatabase(): Promise<Kept> {
  const database = await startDatabase();
  const schema = await makeSchema(database.url);
  const dir = await mkdtemp(join(tmpdir(), 'docent-bench-console-'));
  return {
    env: { DATA_DIR: dir, DATABASE_URL: schema.url },
    async fill(all) {
      const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
      let n = 1_000_000;
      for (const some of batches(all)) {
        const sessions = some.map(({ session, messages }) => {
          const { uuid, chatbot } = session;
          const last_message_at = messages.at(-1)!.modified_at;
          return { uuid, n: (n += STEP), chatbot, last_message_at, record: JSON.stringify(session) };
        });
        const messages = some.flatMap(({ session, messages: own }) =>
          own.map((message) => {
            const { outcome } = JSON.parse(message.meta_json) as { outcome: string };
            return {
              uuid: message.uuid,
              n: (n += STEP),
              session: session.uuid,
              outcome,
              record: JSON.stringify(message),
            };
          }),
        );
        await sql`
          insert into sessions (uuid, n, chatbot, last_message_at, record)
          select uuid, n, chatbot, last_message_at, record from json_to_recordset(${JSON.stringify(sessions)}::text::json)
            as one (uuid text, n bigint, chatbot text, last_message_at text, record text)`;
        await sql`
          insert into messages (uuid, n, session, has_response, outcome, record)
          select uuid, n, session, true, outcome, record from json_to_recordset(${JSON.stringify(messages)}::text::json)
            as one (uuid text, n bigint, session text, outcome text, record text)`;
      }
      await sql`update chatbots set words_from = null`;
      await sql`analyze`;
      await sql.end();
    },
    async remove() {
      await database.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function* batches<T>(all: Iterable<T>): Generator<T[]> {
  let some: T[] = [];
  for (const one of all) {
    some.push(one);
    if (some.length < BATCH) continue;
    yield some;
    some = [];
  }
  yield some;
}
