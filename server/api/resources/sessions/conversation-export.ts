import { Readable } from 'node:stream';
import * as Type from 'typebox';
import { invalid } from '../../../schema/errors.ts';
import { timestamp } from '../../../schema/ids.ts';
import { objectIn } from '../../../schema/json.ts';
import { foundOf } from '../../../store/shared/message-search.ts';
import type { MessageFilter, Store, StoredMessage } from '../../../store/store.ts';
import { MessageFilterQuery, readMessageFilter } from '../../requests/message-filter.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../../requests/operation.ts';

/** Sessions that are read for one piece. */
const BATCH = 50;

const TYPES = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;
type Format = keyof typeof TYPES;

export const conversationExport = ({ store, clock }: ApiDeps): Operation =>
  operation({
    id: 'exportConversations',
    right: 'read conversations',
    audit: 'reads',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/conversations/export',
    summary: 'Export the messages of conversations, newest conversation first',
    description:
      'All messages of the conversations that the same parameters list. CSV (RFC 4180) begins with the mark of UTF-8 (BOM), for Excel, and has a header; a cell that a spreadsheet would take for a formula, in full width too, or that begins with a tab or a line break, has an apostrophe before it. JSON Lines has an object a line.',
    query: Type.Object({
      format: Type.Optional(Type.Enum(['csv', 'jsonl'], { description: 'Default `csv`.' })),
      ...MessageFilterQuery.properties,
    }),
    reply: 'text',
    media: Object.values(TYPES),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const { format = 'csv' } = ctx.query;
      if (format !== 'csv' && format !== 'jsonl') throw invalid('format', 'format must be csv or jsonl');
      const filter = readMessageFilter(ctx.query) ?? {};
      ctx.type = `${TYPES[format]}; charset=utf-8`;
      ctx.set('Content-Disposition', `attachment; filename="conversations-${timestamp(clock).slice(0, 10)}.${format}"`);
      ctx.body = Readable.from(
        pieces(store, uuid, filter, format, () => ctx.writable),
        { objectMode: false },
      );
    },
  });

/** Read as the caller reads; ends with the connection, also where nothing has been found that could be sent. */
async function* pieces(
  store: Store,
  chatbot: string,
  filter: MessageFilter,
  format: Format,
  isAwaited: () => boolean,
): AsyncGenerator<Buffer> {
  if (format === 'csv') yield Buffer.from(BOM + csvLine(COLUMNS));
  const show = format === 'csv' ? (row: Row) => csvLine(Object.values(row)) : (row: Row) => `${JSON.stringify(row)}\n`;
  for (let after: string | undefined; ;) {
    const found = await store.findMessages(chatbot, filter, { after, limit: BATCH, onePerSession: true });
    for (const { session } of found?.messages ?? []) {
      const text = (await store.messages(session)).map((message) => show(rowOf(message))).join('');
      if (text !== '') yield Buffer.from(text);
    }
    if (!found?.next || !isAwaited()) return;
    after = found.next;
  }
}

type Row = ReturnType<typeof rowOf>;

function rowOf(message: StoredMessage) {
  const { outcome, rating, agent, page } = foundOf(message);
  const { comment } = objectIn(message.feedback_json);
  return {
    conversation: message.session,
    message: message.uuid,
    asked_at: message.created_at,
    question: message.query,
    answer: message.response,
    outcome,
    rating,
    comment: typeof comment === 'string' ? comment : '',
    agent: agent.name,
    page,
    labels: message.labels.map(({ name }) => name),
  };
}

const COLUMNS: (keyof Row)[] = [
  'conversation',
  'message',
  'asked_at',
  'question',
  'answer',
  'outcome',
  'rating',
  'comment',
  'agent',
  'page',
  'labels',
];

/** Without it Excel on Windows reads the bytes as those of an old code page. */
const BOM = '\ufeff';

const csvLine = (cells: readonly (string | number | string[])[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** A number is one of ours: -1 is no formula. */
function cellOf(value: string | number | string[]): string {
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(', ') : value;
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
