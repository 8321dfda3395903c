import { KeyedMutex } from '../../../async/keyed-mutex.ts';
import { forEachSliced } from '../../../async/time-slice.ts';
import { jsonIn } from '../../../schema/json.ts';
import { isMessage, isSession } from '../../record-checks.ts';
import { entryOf, isFound, type MessageEntry } from '../../shared/message-search.ts';
import type { StoredMessage, StoredSession } from '../../store.ts';
import { inTransaction } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { enterMessages, storedMessages } from './entries.ts';

/** Sessions of one transaction, and messages of one statement. */
const [BATCH, MESSAGES] = [20, 50];
/** How long one search makes entries itself. */
const MAX_MS = 100;
/** Of a bigint: behind every session. */
const MAX_PLACE = `${2n ** 63n - 1n}`;

interface Entries {
  /** Makes those that are missing for a moment, newest session first; the others are made beside, which a search does not wait for. */
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
        const dry = sessions.flatMap(({ uuid, record }) => {
          const session = jsonIn(record);
          return isSession(session) ? [{ uuid, is_dry: (session as StoredSession).dry_run === true }] : [];
        });
        await tx`
          update sessions s set is_dry = read.is_dry
          from json_to_recordset(${JSON.stringify(dry)}::text::json) as read (uuid text, is_dry boolean)
          where s.uuid = read.uuid and s.is_dry is null`;
        const messages = await tx<{ record: string }[]>`
          select record from messages where session in ${tx(sessions.length > 0 ? sessions.map(({ uuid }) => uuid) : [''])}
            and writer is null and not is_deleted for no key update`;
        const entries: MessageEntry[] = [];
        await forEachSliced(messages, ({ record }) => {
          const message = jsonIn(record);
          if (isMessage(message) && isFound(message as StoredMessage)) entries.push(entryOf(message as StoredMessage));
        });
        for (let at = 0; at < entries.length; at += MESSAGES) {
          const some = entries.slice(at, at + MESSAGES);
          const uuids = some.map(({ uuid }) => uuid);
          await enterMessages(tx, some, storedMessages(tx, uuids));
        }
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
      // Behind what is being made: who asks again then finds more.
      if (building.has(chatbot)) return mutex.run(chatbot, () => read(chatbot));
      const end = performance.now() + MAX_MS;
      let state = await read(chatbot);
      while (state.isThere && state.from !== '0' && performance.now() < end) {
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
