import { forEachSliced } from '../../async/time-slice.ts';
import { isMessage } from '../record-checks.ts';
import { entryOf, isFound } from '../shared/message-search.ts';
import type { Change, Store, StoredMessage } from '../store.ts';
import { inTransaction, type Fragment, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { enterMessages, storedMessages } from './found/entries.ts';
import { findVerb } from './found/find.ts';
import {
  columnsOf,
  forgetPieces,
  messageColumns,
  messageOf,
  recordOf,
  saveMessage,
  tasksIn,
  type MessageRow,
} from './message-rows.ts';
import { readRecord } from './records/read.ts';

type MessageVerbs =
  | 'saveMessage'
  | 'updateMessage'
  | 'message'
  | 'messages'
  | 'hasOutcome'
  | 'lastMessages'
  | 'deleteMessage'
  | 'findMessages';

interface ListedRow extends MessageRow {
  key: string;
  session: string;
  chatbot: string;
}

export function messageVerbs(context: PostgresContext): Pick<Store, MessageVerbs> {
  const { sql, mutex, run, process, unreadable } = context;

  const select = (queries: Queries, condition: Fragment) => queries<MessageRow[]>`
    select ${messageColumns(queries)} from messages where not is_deleted and ${condition}`;

  async function list(condition: Fragment): Promise<StoredMessage[]> {
    const rows = await sql<ListedRow[]>`
      select ${messageColumns(sql)}, uuid as key, session, (select chatbot from sessions where uuid = messages.session)
      from messages where not is_deleted and ${condition}`;
    const all: StoredMessage[] = [];
    await forEachSliced(rows, (row) => {
      const { key, record: json, chatbot, session } = row;
      const read = readRecord<StoredMessage>(context, 'messages', { key, json, chatbot, session }, isMessage);
      if (read) all.push(messageOf(row, read));
    });
    return all;
  }

  const update = (uuid: string, change: Change<StoredMessage>): Promise<StoredMessage | undefined> =>
    mutex.run(uuid, () =>
      inTransaction(sql, async (tx) => {
        const [row] = await select(tx, tx`uuid = ${uuid} for no key update`);
        if (!row) return undefined;
        // Of an answer that is still being made the end has the text.
        const text = JSON.stringify(change(messageOf(row.is_written ? { ...row, pieces: null } : row)));
        const changed = fromJson<StoredMessage>(text);
        const { writer, hasResponse, outcome, modified, tasks } = columnsOf(changed, process);
        // A change by another process leaves the tasks to the one that runs them.
        const counted =
          tasks === row.tasks ? tx`` : tx`, (tasks, tasks_of, tasks_until) = (${tasksIn(tx, tasks, process)})`;
        const isFinished = writer === null;
        await tx`
          update messages set has_response = ${hasResponse}, outcome = ${outcome}, record = ${recordOf(changed)},
            writer = case when ${isFinished} then null else coalesce(writer, ${process}) end,
            stop_requested = stop_requested and not ${isFinished}${counted}
          where uuid = ${uuid}`;
        if (isFinished) await forgetPieces(tx, uuid);
        if (isFound(changed)) await enterMessages(tx, [entryOf(changed)], storedMessages(tx, [uuid]));
        await tx`
          update sessions set last_message_at = greatest(last_message_at, ${modified}) where uuid = ${changed.session}`;
        return changed;
      }),
    );

  return {
    saveMessage: (message, session) => saveMessage(context, message, session),
    updateMessage: (uuid, change) => run(() => update(uuid, change)),
    message: (uuid) => run(async () => (await list(sql`uuid = ${uuid}`))[0]),
    messages: (session) => run(() => list(sql`session = ${session} order by n`)),
    hasOutcome: (session, outcome) =>
      run(async () => (await select(sql, sql`session = ${session} and outcome = ${outcome} limit 1`)).length > 0),
    lastMessages: (session, count) =>
      run(async () => {
        const last = await list(
          sql`session = ${session} and has_response and writer is null order by n desc limit ${count}`,
        );
        return last.reverse();
      }),
    findMessages: findVerb(context),
    deleteMessage: (uuid) =>
      run(() =>
        // The row stays, without its text: a later save of it finds that it was deleted.
        mutex.run(uuid, () =>
          inTransaction(sql, async (tx) => {
            // Waits for pieces that are being written; none is added later.
            await tx`select 1 from messages where uuid = ${uuid} for update`;
            const { count } = await tx`
              update messages set is_deleted = true, writer = null, record = '' where uuid = ${uuid} and not is_deleted`;
            await forgetPieces(tx, uuid);
            await tx`delete from message_entries where message = ${uuid}`;
            unreadable?.clear('messages', uuid);
            return count > 0;
          }),
        ),
      ),
  };
}
