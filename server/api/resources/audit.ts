import type { RouterContext } from '@koa/router';
import * as Type from 'typebox';
import { BESIDE_API } from '../../http/audit.ts';
import { isEmail, record, Timestamp, Uuid } from '../../schema/fields.ts';
import { view } from '../../schema/ids.ts';
import { AUDITED_BY, type AuditEntry, type AuditFilter, type AuditScope } from '../../store/shared/audit.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';
import { linkNext, PageQuery, readPage, unknownAfter } from '../requests/paging.ts';
import { DayQuery, readDayRange } from '../requests/time-range.ts';
import { invalid } from '../../schema/errors.ts';

const PAGE_LENGTH = 50;
const MAX_EMAIL = 254;

const Entry = record({
  uuid: Uuid,
  at: Timestamp,
  user: Uuid,
  email: Type.String({ description: 'Of that user; empty where the user is gone.' }),
  by: record({
    type: Type.Enum([...AUDITED_BY], {
      description: 'How the user was known: by an API key, by a sign-in to the console, or by a shell on the server.',
    }),
    uuid: Type.String({ description: 'Of the key or the sign-in; empty for none.' }),
    hint: Type.String({ description: 'The first characters of the key; `API_KEY` for that of the environment.' }),
  }),
  operation: Type.String({ description: 'The `operationId`, or what the console or the shell did beside the API.' }),
  summary: Type.String({ description: 'The same in an owner’s words.' }),
  record: Type.String({ description: 'Uuid of what it was done to, which may be gone; empty for none.' }),
  detail: Type.String({
    description: 'Such as the address and role of a member, or the names of changed fields; never their values.',
  }),
});

const EntryQuery = Type.Object({
  email: Type.Optional(Type.String({ maxLength: MAX_EMAIL, description: 'Only what the user of this address did.' })),
  ...DayQuery.properties,
  ...PageQuery.properties,
});

/** In an owner's words, where the summary has those of the interface. */
const IN_WORDS: Partial<Record<string, string>> = {
  listSessions: 'Read the list of conversations',
  listConversations: 'Read the list of conversations',
  exportConversations: 'Export conversations',
  getSession: 'Read a conversation',
  listMessages: 'Read a conversation',
  getTranscript: 'Read a conversation',
  getMessage: 'Read a message',
  traceMessage: 'See how a question would be answered',
  createMessage: 'Ask in a visitor’s conversation',
  streamMessage: 'Ask in a visitor’s conversation',
  deleteSession: 'Delete a conversation',
  deleteMessages: 'Delete messages',
  listGaps: 'Read the gaps',
  hideGap: 'Hide a gap',
  showGap: 'Show a hidden gap again',
  draftGap: 'Draft the answer to a gap',
  createSite: 'Read a site',
  stopSite: 'Stop reading a site',
  excludePage: 'Exclude a page of a site',
  includePage: 'Include a page of a site again',
  updateSchedule: 'Set when pages are read again',
  rescrapeSources: 'Read pages again',
  restartSources: 'Read failed sources again',
  createUrlSource: 'Add a web page',
  createFileSource: 'Add a file',
  deleteSources: 'Delete sources',
};

const RULES = `Newest first; ${PAGE_LENGTH} entries without a \`limit\`. The header \`Link\` with \`rel="next"\` has the address to go on at, and is absent behind the last; a page that a filter narrows may have fewer entries than its limit. Entries are kept for \`AUDIT_DAYS\` days; nothing changes or removes one before.`;

export const auditLogs = (deps: ApiDeps, all: () => Operation[]): Operation[] => [
  operation({
    id: 'listAuditEntries',
    right: 'own',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/audit',
    summary: 'List who changed what in a chatbot, and who read its conversations',
    description: RULES,
    query: EntryQuery,
    reply: Type.Array(Entry),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(deps.store, user, uuid);
      return listed(deps, all(), { chatbot: uuid }, ctx);
    },
  }),
  operation({
    id: 'listOwnAuditEntries',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/user/audit',
    summary: 'List what was done with your account: keys, passkeys, sign-ins, chatbots made and deleted',
    description: RULES,
    query: EntryQuery,
    reply: Type.Array(Entry),
    handle: ({ user, ctx }) => listed(deps, all(), { account: user.uuid }, ctx),
  }),
];

async function listed(
  { store }: ApiDeps,
  operations: Operation[],
  scope: AuditScope,
  ctx: RouterContext,
): Promise<object[]> {
  const { limit = PAGE_LENGTH, after } = readPage(ctx.query);
  const { email = '' } = ctx.query;
  if (typeof email !== 'string' || email.length > MAX_EMAIL)
    throw invalid('email', `email must be a text of at most ${MAX_EMAIL} characters`);
  const filter: AuditFilter = readDayRange(ctx.query);
  if (email !== '') {
    const address = email.trim().toLowerCase();
    filter.user = isEmail(address) ? (await store.userByEmail(address))?.uuid : undefined;
    if (filter.user === undefined) return [];
  }
  const page = await store.audit(scope, { limit, after, filter });
  if (!page) throw unknownAfter();
  if (page.next) linkNext(ctx, page.next);
  const named = new Set(page.entries.flatMap(({ user, record: of }) => [user, of]));
  const users = await store.usersByUuid([...named].filter(Boolean));
  const emails = new Map(users.map((one) => [one.uuid, one.email]));
  const summaries = new Map(operations.map(({ id, summary }) => [id, summary]));
  return page.entries.map((entry) => shown(entry, emails, summaries));
}

/** A member by the address, which is not stored in the entry: it goes with the user. */
function shown(entry: AuditEntry, emails: Map<string, string>, summaries: Map<string, string>): object {
  const { operation: id, detail } = entry;
  return view(Entry, {
    ...entry,
    email: emails.get(entry.user) ?? '',
    summary: IN_WORDS[id] ?? summaries.get(id) ?? (BESIDE_API as Record<string, string>)[id] ?? id,
    detail: [emails.get(entry.record), detail].filter(Boolean).join(', '),
  });
}
