import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import type { Static } from 'typebox';
import { dated, record, Uuid } from '../../../schema/fields.ts';
import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import { invalid } from '../../../schema/errors.ts';
import { objectIn } from '../../../schema/json.ts';
import { outcomeIn } from '../../../store/outcomes.ts';
import type { Store, StoredMessage, StoredSession } from '../../../store/store.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../../requests/operation.ts';
import { PageQuery, readPage, unknownAfter } from '../../requests/paging.ts';

/** Conversations of a page without a `limit`, and sessions that are read for one page at most. */
const [PAGE_LENGTH, MAX_READ] = [25, 500];
/** So that questions of visitors come between. */
const READ_AT_ONCE = 4;
const MAX_SEARCH = 200;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** A session as a list of conversations has it. */
const Conversation = record({
  uuid: Uuid,
  ...dated,
  first_query: Type.String({ description: 'Its first question.' }),
  messages: Count('Number of messages.'),
  unknown: Count('Messages to which the sources had no answer.'),
  unsure: Count('Messages whose quotes may not answer.'),
  rated_up: Count('Messages that the visitor voted up.'),
  rated_down: Count('Messages that the visitor voted down.'),
  labels: Type.Array(Type.String(), { description: 'Names of the tags that background agents gave, each once.' }),
});
type Conversation = Static<typeof Conversation>;

const MARKS = ['unknown', 'unsure', 'rated_up', 'rated_down'] as const;

const ConversationQuery = Type.Object({
  has: Type.Optional(
    Type.Enum([...MARKS], { description: 'Only conversations with such a message: those whose count of it is not 0.' }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      description: 'Only conversations with this text in a question or an answer, in upper or lower case.',
    }),
  ),
  ...PageQuery.properties,
});

export const conversations = ({ store }: ApiDeps): Operation[] => [
  operation({
    id: 'listConversations',
    right: 'read conversations',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/conversations',
    summary: 'List the conversations of a chatbot, newest first',
    description: `Sessions without a message and dry runs are left out. ${PAGE_LENGTH} records without a \`limit\`. At most ${MAX_READ} sessions are read for one page, so that one of a search may have fewer records than its limit, or none: the header \`Link\` with \`rel="next"\` has the address to go on at, and is absent behind the last.`,
    query: ConversationQuery,
    reply: Type.Array(Conversation),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const { limit = PAGE_LENGTH, after } = readPage(ctx.query);
      const filter = readFilter(ctx.query);
      const batches = await store.sessionBatches(uuid, after, 'newest');
      if (!batches) throw unknownAfter();
      const { listed, next } = await readConversations(store, batches, {
        filter,
        limit,
        isAwaited: () => ctx.writable,
      });
      if (next) ctx.set('Link', linkTo(ctx.path, { ...ctx.query, after: next }));
      return listed;
    },
  }),
];

/** RFC 8288. */
function linkTo(path: string, query: ParsedUrlQuery): string {
  return `<${path}?${new URLSearchParams(query as Record<string, string>)}>; rel="next"`;
}

interface Filter {
  /** By the counts of its record. */
  isListed: (record: Conversation) => boolean;
  /** By the text of one of its messages. */
  hasText: (message: StoredMessage) => boolean;
}

function readFilter({ has, search = '' }: ParsedUrlQuery): Filter {
  const mark = MARKS.find((one) => one === has);
  if (has !== undefined && !mark)
    throw invalid('has', `has must be ${MARKS.slice(0, -1).join(', ')} or ${MARKS.at(-1)}`);
  if (Array.isArray(search) || search.length > MAX_SEARCH)
    throw invalid('search', `search must be a text of at most ${MAX_SEARCH} characters`);
  const words = search.toLowerCase();
  return {
    isListed: (record) => !mark || record[mark] > 0,
    hasText: ({ query, response }) => [query, response].some((text) => text.toLowerCase().includes(words)),
  };
}

/** The next page of those that `filter` passes; `isAwaited` turns false once the caller has left. */
async function readConversations(
  store: Store,
  batches: AsyncIterable<StoredSession[]>,
  { filter, limit, isAwaited }: { filter: Filter; limit: number; isAwaited: () => boolean },
): Promise<{ listed: Conversation[]; next: string }> {
  const listed: Conversation[] = [];
  let count = 0;
  let last = '';
  for await (const batch of batches) {
    const sessions = batch.slice(0, MAX_READ - count);
    const read = new Map<StoredSession, Conversation | undefined>();
    const readOne = async (session: StoredSession): Promise<void> => {
      if (isAwaited()) read.set(session, await readConversation(store, session, filter));
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

/** Undefined where the filter leaves it out. */
async function readConversation(
  store: Store,
  session: StoredSession,
  { isListed, hasText }: Filter,
): Promise<Conversation | undefined> {
  if (session.dry_run) return undefined;
  const messages = await store.messages(session.uuid);
  const [first] = messages;
  if (!first || !messages.some(hasText)) return undefined;
  const countOf = (is: (message: StoredMessage) => boolean): number => messages.filter(is).length;
  const record: Conversation = {
    uuid: session.uuid,
    created_at: session.created_at,
    modified_at: session.modified_at,
    first_query: first.query,
    messages: messages.length,
    unknown: countOf(({ meta_json }) => outcomeIn(meta_json) === 'unknown'),
    unsure: countOf(({ meta_json }) => outcomeIn(meta_json) === 'unsure'),
    rated_up: countOf((message) => ratingOf(message) === 1),
    rated_down: countOf((message) => ratingOf(message) === -1),
    labels: [...new Set(messages.flatMap(({ labels }) => labels.map(({ name }) => name)))],
  };
  return isListed(record) ? record : undefined;
}

const ratingOf = ({ feedback_json }: StoredMessage): unknown => objectIn(feedback_json)['rating'];
