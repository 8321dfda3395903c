import { crc32 } from 'node:zlib';
import { timestamp, type Clock } from '../../schema/ids.ts';
import type { AuditEntry, AuditScope } from '../shared/audit.ts';
import { groupBy } from '../shared/figures.ts';
import type { Snapshot } from './snapshot.ts';
import type {
  SourceDocument,
  Store,
  StoredAgent,
  StoredChatbot,
  StoredMessage,
  StoredSession,
  StoredSource,
  StoredTag,
  StoredVectors,
  User,
} from '../store.ts';
import { ARCHIVE_VERSION, lineOf, type ArchiveRecords, type Counts, type Kind } from './format.ts';

/** Bytes of an uploaded file or of vectors in a line, and about as many are handed on at once. */
const PIECE_BYTES = 96 * 1024;
/** How often a source or a session is read that changes meanwhile. */
const MAX_READS = 5;
/** Of the audit log in a line. */
const AUDIT_ENTRIES = 100;

/** The bytes of an archive, as they are asked for. */
export const exportArchive = (all: Snapshot, clock: Clock): AsyncGenerator<Buffer> => bytesOf(linesIn(all, clock));

/**
 * The same of one chatbot, as `user` takes it to another server, who owns it there: its settings, agents, tags and sources. Without what
 * is about people (members, conversations, figures, the audit log), and without the values of the headers that its functions send.
 */
export const exportChatbot = (
  all: ChatbotReader,
  chatbot: StoredChatbot,
  user: User,
  clock: Clock,
): AsyncGenerator<Buffer> => bytesOf(linesOfOne(all, chatbot, user, clock));

async function* bytesOf(all: AsyncIterable<Line>): AsyncGenerator<Buffer> {
  const counts: Counts = {};
  let sum = 0;
  let lines: Buffer[] = [];
  let size = 0;
  for await (const { kind, line } of all) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    sum = crc32(line, sum);
    lines.push(line);
    size += line.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.concat(lines);
    [lines, size] = [[], 0];
  }
  yield Buffer.concat([...lines, lineOf('end', { counts, crc32: sum })]);
}

/** What an export of one chatbot reads. */
type ChatbotReader = Pick<
  Store,
  'chatbot' | 'sites' | 'sources' | 'source' | 'document' | 'vectors' | 'file' | 'agents' | 'tags'
>;

interface Line {
  kind: Kind;
  line: Buffer;
}

const asLine = <K extends Kind>(kind: K, value: ArchiveRecords[K]): Line => ({ kind, line: lineOf(kind, value) });

async function* linesIn(all: Snapshot, clock: Clock): AsyncGenerator<Line> {
  const { user: owner, secret } = all.owner;
  yield asLine('archive', { version: ARCHIVE_VERSION, created_at: timestamp(clock), owner, secret });
  const users = await all.users();
  for (const user of users) if (user.uuid !== owner.uuid) yield asLine('user', user);
  for (const { uuid } of users) yield* auditOf(all, { account: uuid });
  for (const key of await all.keys()) if (users.some(({ uuid }) => uuid === key.user)) yield asLine('key', key);
  for (const [name, value] of Object.entries(await all.facts()).toSorted()) yield asLine('fact', { name, value });
  for (const chatbot of await all.allChatbots()) {
    // A link that was revoked or used since would be good again.
    const { invitations: _, ...kept } = chatbot;
    yield* teachingOf(all, kept);
    yield* sessionsOf(all, chatbot);
    yield* figuresOf(all, chatbot);
    yield* auditOf(all, { chatbot: chatbot.uuid });
  }
  for await (const usage of all.allUsage()) yield asLine('usage', usage);
  for await (const reply of all.replies()) yield asLine('reply', reply);
}

async function* linesOfOne(
  all: ChatbotReader,
  chatbot: StoredChatbot,
  { uuid, email, created_at }: User,
  clock: Clock,
): AsyncGenerator<Line> {
  const owner = { uuid, email, created_at };
  yield asLine('archive', { version: ARCHIVE_VERSION, created_at: timestamp(clock), owner, secret: '' });
  const { members: _, invitations: __, seen_on: ___, hidden_gaps: ____, ...own } = chatbot;
  yield* teachingOf(all, { ...own, owner: uuid }, withoutHeaders);
  // Its sources went with it: without its last line the archive says that it is not whole.
  if (!(await all.chatbot(own.uuid))) throw new Error('the chatbot was deleted while it was exported');
}

const withoutHeaders = (agent: StoredAgent): StoredAgent => ({
  ...agent,
  tool_functions: agent.tool_functions.map((tool) => ({
    ...tool,
    headers: Object.fromEntries(Object.keys(tool.headers).map((name) => [name, ''])),
  })),
});

/** A chatbot with what it answers from, and how. */
async function* teachingOf(
  all: ChatbotReader,
  chatbot: StoredChatbot,
  shown: (agent: StoredAgent) => StoredAgent = (agent) => agent,
): AsyncGenerator<Line> {
  yield asLine('chatbot', chatbot);
  // Others may make what these name meanwhile: they are read before what names them, or name only what is written.
  const sites = await all.sites(chatbot.uuid);
  const written = new Set<string>();
  for await (const line of sourcesOf(all, chatbot, new Set(sites.map(({ uuid }) => uuid)))) {
    if (line.source !== undefined) written.add(line.source);
    yield line;
  }
  for (const agent of await all.agents(chatbot.uuid)) yield asLine('agent', namingOnly(written, shown(agent)));
  for (const tag of await all.tags(chatbot.uuid)) yield asLine('tag', namingOnly(written, tag));
  for (const site of sites) yield asLine('site', site);
}

const namingOnly = <T extends StoredAgent | StoredTag>(sources: Set<string>, part: T): T => ({
  ...part,
  data_source_uuids: part.data_source_uuids.filter((uuid) => sources.has(uuid)),
});

/** With the uuid of the source in its own line. A page of a site that is not among `sites` is one of its own. */
async function* sourcesOf(
  all: ChatbotReader,
  { uuid: chatbot }: StoredChatbot,
  sites: Set<string>,
): AsyncGenerator<Line & { source?: string }> {
  for (const { uuid } of await all.sources(chatbot)) {
    const found = await readSource(all, uuid);
    if (!found) continue;
    const { source, file, document, vectors } = found;
    if (source.site && !sites.has(source.site)) delete source.site;
    yield { ...asLine('source', { record: source, ...(file && { bytes: file.length }) }), source: uuid };
    for (const piece of piecesOf(file)) yield asLine('file', piece);
    if (document) yield asLine('document', document);
    if (!vectors) continue;
    const [rows = '', ...others] = piecesOf(vectors.rows);
    yield asLine('vectors', { ...vectors, rows });
    for (const piece of others) yield asLine('rows', piece);
  }
}

/** In base64. */
function* piecesOf(bytes: Uint8Array | Int8Array = new Uint8Array(0)): Generator<string> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(PIECE_BYTES, bytes.length - at)).toString('base64');
}

interface WholeSource {
  source: StoredSource;
  file: Uint8Array | undefined;
  document: SourceDocument | undefined;
  vectors: StoredVectors | undefined;
}

/** With what belongs to it, none of it older or newer than the rest; undefined where it is gone. */
async function readSource(all: ChatbotReader, uuid: string): Promise<WholeSource | undefined> {
  for (let reads = 1; ; reads++) {
    const source = await all.source(uuid);
    if (!source) return undefined;
    const [document, vectors] = [await all.document(uuid), await all.vectors(uuid)];
    const file = await all.file(uuid);
    const again = await all.source(uuid);
    const isSettled = JSON.stringify(again) === JSON.stringify(source);
    if (!isSettled && reads < MAX_READS) continue;
    const rows = vectors ? vectors.rows.length / vectors.dimensions : 0;
    if (isSettled && document?.passages.length === rows) return { source, file, document, vectors };
    // Vectors of other passages, or none: they are made anew where the archive is imported.
    return { source: source.embedded_by ? { ...source, embedded_by: '' } : source, file, document, vectors: undefined };
  }
}

async function* sessionsOf(all: Snapshot, { uuid: chatbot }: StoredChatbot): AsyncGenerator<Line> {
  for await (const sessions of (await all.sessionBatches(chatbot)) ?? []) {
    for (const listed of sessions) {
      const found = await readSession(all, listed);
      if (!found) continue;
      yield asLine('session', found.session);
      // Its background tasks run where it was read, not where it is imported.
      for (const message of found.messages) yield asLine('message', { ...message, background_pending_tasks: 0 });
    }
  }
}

/** A line for each day; one for all sources. */
async function* figuresOf(all: Snapshot, { uuid: chatbot }: StoredChatbot): AsyncGenerator<Line> {
  const figures = await all.figures(chatbot, '', '9999-99-99');
  for (const ofDay of groupBy(figures, ({ day }) => day).values()) yield asLine('figures', ofDay);
  const cited = await all.cited(chatbot);
  if (cited.length > 0) yield asLine('cited', cited);
}

async function* auditOf(all: Snapshot, scope: AuditScope): AsyncGenerator<Line> {
  let entries: AuditEntry[] = [];
  for await (const some of all.wholeAudit(scope)) {
    entries.push(...some);
    for (; entries.length >= AUDIT_ENTRIES; entries = entries.slice(AUDIT_ENTRIES))
      yield asLine('audit', entries.slice(0, AUDIT_ENTRIES));
  }
  if (entries.length > 0) yield asLine('audit', entries);
}

/** With its messages, none of it older or newer than the rest; undefined where it is gone. */
async function readSession(
  all: Snapshot,
  listed: StoredSession,
): Promise<{ session: StoredSession; messages: StoredMessage[] } | undefined> {
  let before = listed;
  for (let reads = 1; ; reads++) {
    const messages = await all.messages(listed.uuid);
    const session = await all.session(listed.uuid);
    if (!session) return undefined;
    if (JSON.stringify(session) === JSON.stringify(before) || reads === MAX_READS) return { session, messages };
    before = session;
  }
}
