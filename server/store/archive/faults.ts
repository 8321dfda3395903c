import { isAgent, isChatbot, isMessage, isSession, isSite, isSource, isTag } from '../record-checks.ts';
import type { Store, StoredSession, StoredSource } from '../store.ts';
import type { Counts } from './format.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with a record, or with what it refers to. */
export interface Fault {
  /** One sentence for the operator, without a period. */
  what: string;
  /** Absent where nothing can be done without the operator. Loses nothing that can still be read. */
  repair?(store: Store): Promise<unknown>;
}

/** The uuids of records that are left out, as they cannot be read: what refers to them, or belongs to them, is no fault. */
export interface Unreadable {
  chatbots: string[];
  sites: string[];
  sessions: string[];
  /** Of the sources whose text cannot be read. */
  texts: string[];
}

const NONE: Unreadable = { chatbots: [], sites: [], sessions: [], texts: [] };

/** Reads everything. `counts`: is filled with how many records there are. `unreadable`: none by default. */
export async function* faultsIn(all: Snapshot, counts: Counts, unreadable = NONE): AsyncGenerator<Fault> {
  const count = (kind: keyof Counts): void => void (counts[kind] = (counts[kind] ?? 0) + 1);
  const users = new Set((await all.users()).map(({ uuid }) => uuid));
  for (const { hash, hint, user } of await all.keys())
    if (!users.has(user))
      yield { what: `key ${hint} is of a user that is gone: revoked`, repair: (store) => store.removeKey(hash) };
  const texts = new Set(unreadable.texts);
  const chatbots = await all.allChatbots();
  for (const chatbot of chatbots) {
    count('chatbot');
    const { uuid, owner } = chatbot;
    if (!isChatbot(chatbot)) yield { what: `chatbot ${uuid} has fields that cannot be read` };
    // One of an upstream server has none.
    if (owner !== '' && !users.has(owner))
      yield { what: `chatbot ${uuid} is of a user that is gone: "docent chatbot remove ${uuid}" deletes it` };
  }
  for (const uuid of [...chatbots.map((one) => one.uuid), ...unreadable.chatbots]) {
    yield* faultsOfParts(all, uuid);
    const sites = new Set([...(await all.sites(uuid)).map((site) => site.uuid), ...unreadable.sites]);
    for (const source of await all.sources(uuid)) {
      count('source');
      yield* faultsOfSource(all, source, sites, texts.has(source.uuid));
    }
    for await (const sessions of (await all.sessionBatches(uuid)) ?? [])
      for (const session of sessions) {
        count('session');
        yield* faultsOfSession(all, session, () => count('message'));
      }
  }
  for (const uuid of unreadable.sessions) yield* faultsOfMessages(all, { uuid }, () => count('message'));
  // The store reports of these what cannot be read.
  for await (const _ of all.allUsage()) count('usage');
  for await (const _ of all.replies()) count('reply');
}

async function* faultsOfParts(all: Snapshot, uuid: string): AsyncGenerator<Fault> {
  for (const [kind, parts, isWhole] of [
    ['agent', await all.agents(uuid), isAgent],
    ['tag', await all.tags(uuid), isTag],
    ['site', await all.sites(uuid), isSite],
  ] as const)
    for (const part of parts)
      if (!isWhole(part)) yield { what: `${kind} ${part.uuid} of chatbot ${uuid} has fields that cannot be read` };
}

async function* faultsOfSource(
  all: Snapshot,
  source: StoredSource,
  sites: Set<string>,
  isTextUnreadable: boolean,
): AsyncGenerator<Fault> {
  const { uuid, chatbot, type, status, tokens, site, embedded_by } = source;
  const name = `source ${uuid} of chatbot ${chatbot}`;
  const change = (by: (one: StoredSource) => StoredSource) => (store: Store) => store.updateSource(uuid, by);
  if (!isSource(source)) return yield { what: `${name} has fields that cannot be read` };
  if (site && !sites.has(site))
    yield {
      what: `${name} is of a crawl that is gone: it is a page of its own`,
      repair: change((one) => {
        delete one.site;
        return one;
      }),
    };
  if (type === 'upload' && !(await all.file(uuid))) yield { what: `${name} has no file: upload it again` };
  if (isTextUnreadable) return;
  const document = await all.document(uuid);
  if (!document && status === 'success' && tokens > 0)
    yield {
      what: `${name} has no text: it is learned again at the next start`,
      repair: change((one) => ({ ...one, status: 'await' })),
    };
  const vectors = embedded_by ? await all.vectors(uuid) : undefined;
  const count = vectors ? vectors.rows.length / vectors.dimensions : 0;
  if (document && embedded_by && count !== document.passages.length)
    yield {
      what: `${name} has vectors of other passages, or none: they are made again at the next start`,
      repair: change((one) => ({ ...one, embedded_by: '' })),
    };
}

async function* faultsOfSession(all: Snapshot, session: StoredSession, count: () => void): AsyncGenerator<Fault> {
  if (!isSession(session)) yield { what: `${nameOf(session)} has fields that cannot be read` };
  yield* faultsOfMessages(all, session, count);
}

/** Its whole identifier is a secret. */
const nameOf = ({ uuid }: { uuid: string }): string => `conversation ${uuid.slice(0, 8)}…`;

/** `modified_at` is left out of a session that cannot be read. */
async function* faultsOfMessages(
  all: Snapshot,
  { uuid, modified_at }: { uuid: string; modified_at?: string },
  count: () => void,
): AsyncGenerator<Fault> {
  const name = nameOf({ uuid });
  for (const message of await all.messages(uuid)) {
    count();
    if (!isMessage(message) || message.session !== uuid)
      yield { what: `${name} has a message that cannot be read, or is of another` };
    else if (modified_at !== undefined && message.modified_at > modified_at)
      yield {
        what: `${name} was modified with its last message: its time is set`,
        repair: (store) => store.updateMessage(message.uuid, (one) => one),
      };
  }
}
