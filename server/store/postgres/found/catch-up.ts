import { KeyedMutex } from '../../../async/keyed-mutex.ts';
import { jsonIn } from '../../../schema/json.ts';
import { isMessage, isSession } from '../../record-checks.ts';
import { entryOf, isFound } from '../../shared/message-search.ts';
import type { StoredMessage, StoredSession } from '../../store.ts';
import { inTransaction } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { enterMessage, storedMessage } from './entries.ts';

/** Sessions of one transaction, and transactions that one search waits for. */
const [BATCH, MAX_BATCHES] = [50, 4];
/** Of a bigint: behind every session. */
const MAX_PLACE = `${2n ** 63n - 1n}`;

interface Entries {
  /** Makes those of up to 200 sessions that have none; those of the others are made beside. */
  of(chatbot: string): Promise<EntriesState>;
}

interface EntriesState {
  /** Whether the chatbot is. */
  isThere: boolean;
  /** The place from which on all sessions have entries; '0': all. */
  from: string;
}

/** Makes the entries of messages that versions before have stored, newest session first, when they are first looked for. */
export function entriesOf({ sql, inFlight }: PostgresContext): Entries {
  const mutex = new KeyedMutex();
  const building = new Set<string>();

  async function read(chatbot: string): Promise<EntriesState> {
    const [row] = await sql<{ from: string }[]>`
      select coalesce(words_from, ${MAX_PLACE}::bigint)::text as from from chatbots where uuid = ${chatbot} and not is_deleted`;
    return { isThere: row !== undefined, from: row?.from ?? '0' };
  }

  /** The next sessions; servers of a version before, which keep no entries, have to be gone. */
  const enterMore = (chatbot: string): Promise<EntriesState> =>
    mutex.run(chatbot, async () => {
      await inTransaction(sql, async (tx) => {
        const [row] = await tx<{ from: string; older: boolean }[]>`
          select coalesce(words_from, ${MAX_PLACE}::bigint)::text as from,
            exists (select from processes where not keeps_words) as older
          from chatbots where uuid = ${chatbot} and not is_deleted for no key update`;
        if (!row || row.from === '0' || row.older) return;
        const sessions = await tx<{ uuid: string; n: string; record: string }[]>`
          select uuid, n::text, record from sessions where chatbot = ${chatbot} and n < ${row.from}::bigint
          order by n desc limit ${BATCH}`;
        // Sent one behind another: a round trip for each would be most of the time.
        await Promise.all(
          sessions.flatMap(({ uuid, record }) => {
            const session = jsonIn(record);
            if (!isSession(session)) return [];
            const { dry_run = false } = session as StoredSession;
            return [tx`update sessions set is_dry = ${dry_run} where uuid = ${uuid} and is_dry is null`];
          }),
        );
        const messages = await tx<{ record: string }[]>`
          select record from messages where session in ${tx(sessions.length > 0 ? sessions.map(({ uuid }) => uuid) : [''])}
            and writer is null and not is_deleted for no key update`;
        await Promise.all(
          messages.flatMap(({ record }) => {
            const message = jsonIn(record);
            if (!isMessage(message) || !isFound(message as StoredMessage)) return [];
            const entry = entryOf(message as StoredMessage);
            return [enterMessage(tx, entry, storedMessage(tx, entry.uuid))];
          }),
        );
        const last = sessions.length < BATCH ? '0' : sessions.at(-1)!.n;
        await tx`update chatbots set words_from = ${last}::bigint where uuid = ${chatbot}`;
      });
      return read(chatbot);
    });

  async function build(chatbot: string): Promise<void> {
    for (let from = ''; !inFlight.closing.aborted;) {
      const state = await enterMore(chatbot);
      if (!state.isThere || state.from === from || state.from === '0') return;
      ({ from } = state);
    }
  }

  function buildBeside(chatbot: string): void {
    if (building.has(chatbot)) return;
    building.add(chatbot);
    const built = inFlight.run(() => build(chatbot));
    void built.catch(() => {}).finally(() => building.delete(chatbot));
  }

  return {
    async of(chatbot) {
      let state = await read(chatbot);
      for (let batch = 0; batch < MAX_BATCHES && state.isThere && state.from !== '0'; batch++) {
        const { from } = state;
        state = await enterMore(chatbot);
        // Servers of the version before still run: what is there is what can be found.
        if (state.from === from) return { ...state, from: '0' };
      }
      if (state.isThere && state.from !== '0') buildBeside(chatbot);
      return state;
    },
  };
}
