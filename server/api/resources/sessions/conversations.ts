import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import type { FoundMessage, MessageFilter, Store, StoredSession } from '../../../store/store.ts';
import { MessageFilterQuery, readMessageFilter } from '../../requests/message-filter.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../../requests/operation.ts';
import { linkNext, PageQuery, readPage, unknownAfter } from '../../requests/paging.ts';
import { conversationExport } from './conversation-export.ts';
import { Conversation, conversationOf } from './conversation-record.ts';

/** Conversations of a page without a `limit`, and sessions that are read for one page at most. */
const [PAGE_LENGTH, MAX_READ] = [25, 500];
/** So that questions of visitors come between. */
const READ_AT_ONCE = 4;

const ConversationQuery = Type.Object({ ...MessageFilterQuery.properties, ...PageQuery.properties });

export const conversations = (deps: ApiDeps): Operation[] => [listOperation(deps), conversationExport(deps)];

const listOperation = ({ store }: ApiDeps): Operation =>
  operation({
    id: 'listConversations',
    right: 'read conversations',
    audit: 'reads',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/conversations',
    summary: 'List the conversations of a chatbot, newest first',
    description: `Sessions without a message and dry runs are left out. ${PAGE_LENGTH} records without a \`limit\`. A page may have fewer records than its limit, or none: the header \`Link\` with \`rel="next"\` has the address to go on at, and is absent behind the last. What narrows the list finds messages that have ended.`,
    query: ConversationQuery,
    reply: Type.Array(Conversation),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const { limit = PAGE_LENGTH } = readPage(ctx.query);
      const filter = readMessageFilter(ctx.query);
      const after = readAfter(ctx.query);
      const isAwaited = () => ctx.writable;
      const page = filter
        ? await findConversations(store, uuid, { filter, after, limit, isAwaited })
        : await readConversations(store, uuid, { after, limit, isAwaited });
      if (page.next) linkNext(ctx, page.next);
      return page.listed;
    },
  });

/** The uuid of a conversation, or what `Link` has in place of one. */
function readAfter(query: ParsedUrlQuery): string | undefined {
  const { after } = query;
  if (typeof after === 'string' && /^\d+\.\d+$/.test(after)) return after;
  return readPage(query).after;
}

interface Page {
  listed: Conversation[];
  next: string;
}

interface PageOptions {
  after: string | undefined;
  limit: number;
  /** Turns false once the caller has left. */
  isAwaited: () => boolean;
}

/** The next page of those that have a message which passes. */
async function findConversations(
  store: Store,
  chatbot: string,
  { filter, after, limit, isAwaited }: PageOptions & { filter: MessageFilter },
): Promise<Page> {
  const found = await store.findMessages(chatbot, filter, { after, limit, onePerSession: true });
  if (!found) throw unknownAfter();
  const { messages, next } = found;
  const read = new Map<FoundMessage, Conversation | undefined>();
  const readOne = async (message: FoundMessage): Promise<void> => {
    const session = isAwaited() ? await store.session(message.session) : undefined;
    if (session) read.set(message, await conversationOf(store, session, { ...filter, found: message.uuid }));
  };
  await forEachConcurrent(messages, readOne, READ_AT_ONCE);
  return { listed: messages.flatMap((message) => read.get(message) ?? []), next };
}

/** The next page of all. */
async function readConversations(
  store: Store,
  chatbot: string,
  { after, limit, isAwaited }: PageOptions,
): Promise<Page> {
  const batches = await store.sessionBatches(chatbot, after, 'newest');
  if (!batches) throw unknownAfter();
  const listed: Conversation[] = [];
  let count = 0;
  let last = '';
  for await (const batch of batches) {
    const sessions = batch.slice(0, MAX_READ - count);
    const read = new Map<StoredSession, Conversation | undefined>();
    let left = limit - listed.length;
    const readOne = async (session: StoredSession): Promise<void> => {
      if (left <= 0 || !isAwaited()) return;
      const conversation = await conversationOf(store, session);
      read.set(session, conversation);
      if (conversation) left--;
    };
    await forEachConcurrent(sessions, readOne, READ_AT_ONCE);
    for (const session of sessions) {
      if (listed.length === limit || count === MAX_READ) return { listed, next: last };
      count++;
      last = session.uuid;
      const record = read.get(session);
      if (record) listed.push(record);
    }
    if (count === MAX_READ || !isAwaited()) return { listed, next: last };
  }
  return { listed, next: '' };
}
