import { isAgent, isChatbot, isMessage, isSession, isSite, isSource, isTag } from '../record-checks.ts';
import type { Store, StoredChatbot, StoredSession, StoredSource } from '../store.ts';
import type { Counts } from './format.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with a record, or with what it refers to. */
export interface Fault {
  /** One sentence for the operator, without a period. */
  what: string;
  /** Absent where nothing can be done without the operator. Loses nothing that can still be read. */
  repair?(store: Store): Promise<unknown>;
}

/** Reads everything. `counts`: is filled with how many records there are. */
export async function* faultsIn(all: Snapshot, counts: Counts): AsyncGenerator<Fault> {
  const count = (kind: keyof Counts): void => void (counts[kind] = (counts[kind] ?? 0) + 1);
  const users = new Set((await all.users()).map(({ uuid }) => uuid));
  for (const { hash, hint, user } of await all.keys())
    if (!users.has(user))
      yield { what: `key ${hint} is of a user that is gone: revoked`, repair: (store) => store.removeKey(hash) };
  for (const chatbot of await all.allChatbots()) {
    count('chatbot');
    const { uuid, owner } = chatbot;
    if (!isChatbot(chatbot)) yield { what: `chatbot ${uuid} has fields that cannot be read` };
    // One of an upstream server has none.
    if (owner !== '' && !users.has(owner))
      yield { what: `chatbot ${uuid} is of a user that is gone: "docent chatbot remove" deletes it` };
    yield* faultsOfParts(all, chatbot);
    const sites = new Set((await all.sites(uuid)).map((site) => site.uuid));
    for (const source of await all.sources(uuid)) {
      count('source');
      yield* faultsOfSource(all, source, sites);
    }
    for await (const sessions of (await all.sessionBatches(uuid)) ?? [])
      for (const session of sessions) {
        count('session');
        yield* faultsOfSession(all, session, () => count('message'));
      }
  }
  // The store reports of these what cannot be read.
  for await (const _ of all.allUsage()) count('usage');
  for await (const _ of all.replies()) count('reply');
}

async function* faultsOfParts(all: Snapshot, { uuid }: StoredChatbot): AsyncGenerator<Fault> {
  for (const [kind, parts, isWhole] of [
    ['agent', await all.agents(uuid), isAgent],
    ['tag', await all.tags(uuid), isTag],
    ['site', await all.sites(uuid), isSite],
  ] as const)
    for (const part of parts)
      if (!isWhole(part)) yield { what: `${kind} ${part.uuid} of chatbot ${uuid} has fields that cannot be read` };
}

async function* faultsOfSource(all: Snapshot, source: StoredSource, sites: Set<string>): AsyncGenerator<Fault> {
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
  const { uuid, modified_at } = session;
  // Its whole identifier is a secret.
  const name = `conversation ${uuid.slice(0, 8)}…`;
  if (!isSession(session)) yield { what: `${name} has fields that cannot be read` };
  for (const message of await all.messages(uuid)) {
    count();
    if (!isMessage(message) || message.session !== uuid)
      yield { what: `${name} has a message that cannot be read, or is of another` };
    else if (message.modified_at > modified_at)
      yield {
        what: `${name} was modified with its last message: its time is set`,
        repair: (store) => store.updateMessage(message.uuid, (one) => one),
      };
  }
}
