import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Refusal } from '../../schema/errors.ts';
import { createVisitorLimits } from '../../http/rate-limit.ts';
import { readUuid, type Clock } from '../../schema/ids.ts';
import type { Store, StoredChatbot } from '../../store/store.ts';
import { readChatbot } from './remote-records.ts';
import type { RemoteClient } from './remote-client.ts';

/** Chatbots of the remote server, cached: every load of a page with the widget asks for one. */
export interface RemoteChatbots {
  /** Throws a `Refusal` where the visitor at this address has asked for too many that are not cached. */
  find(written: string, address: () => string): Promise<StoredChatbot | undefined>;
  /** The identifier as the remote server knows it: with dashes, where the visitor's page writes them. */
  nameOf(uuid: string): string;
}

interface RemoteChatbotsDeps {
  client: RemoteClient;
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Milliseconds for which a record is cached, and for which it is cached that there is none. */
const FRESH_MS = 30_000;
const ABSENT_MS = 5_000;
const MAX_CACHED = 1_000;
/** Requests for chatbots that are not cached, of one visitor and of all together. */
const LOOKUP_LIMIT: [count: number, seconds: number] = [30, 60];
const TOTAL_LOOKUP_LIMIT: [count: number, seconds: number] = [100, 60];
/** First lookups of visitors count separately, so that a few visitors with many lookups do not use up the total of the others. */
const FIRST_LOOKUP_LIMIT: [count: number, seconds: number] = [1, 60];

export function createRemoteChatbots({ client, store, clock, log }: RemoteChatbotsDeps): RemoteChatbots {
  const known = new LRUCache<string, { until: number; chatbot: StoredChatbot; name: string }>({ max: MAX_CACHED });
  // By spelling: the remote server may know an identifier with dashes and not without.
  const absent = new LRUCache<string, number>({ max: MAX_CACHED });
  const lookups = new Map<string, Promise<StoredChatbot | undefined>>();
  const perVisitor = createVisitorLimits({ clock });
  const firsts = createVisitorLimits({ clock });
  const inAll = createVisitorLimits({ clock });
  const saving = new Map<string, Promise<void>>();

  async function fetch(written: string, uuid: string): Promise<StoredChatbot | undefined> {
    const reply = await client.chatbot(written);
    if (reply === undefined) return undefined;
    const chatbot = readChatbot(reply, uuid, clock);
    if (chatbot.meta.visibility === 'private')
      log.info({ chatbot: uuid }, 'this chatbot is private: visitors get a 404');
    else await save(chatbot);
    return chatbot;
  }

  /** The store needs a chatbot for each session: a record without an owner stands for the remote one. */
  function save(chatbot: StoredChatbot): Promise<void> {
    const saved = saving.get(chatbot.uuid) ?? create(chatbot).finally(() => saving.delete(chatbot.uuid));
    saving.set(chatbot.uuid, saved);
    return saved;
  }

  async function create(chatbot: StoredChatbot): Promise<void> {
    if (!(await store.chatbot(chatbot.uuid))) await store.createChatbot(chatbot, []);
  }

  async function lookUp(written: string, uuid: string, address?: string): Promise<StoredChatbot | undefined> {
    // Limits do not apply to chatbots that have been found before.
    if (address !== undefined && !(await store.chatbot(uuid))) admitUnknown(address);
    const chatbot = await fetch(written, uuid);
    if (chatbot) known.set(uuid, { until: clock() + FRESH_MS, chatbot, name: written });
    else {
      known.delete(uuid);
      absent.set(written, clock() + ABSENT_MS);
    }
    return chatbot;
  }

  function admitVisitor(address: string): void {
    const retryAfter = perVisitor.take('', address, LOOKUP_LIMIT);
    if (retryAfter > 0) throw new Refusal('rate_limited', 'too many unknown chatbots were asked for', { retryAfter });
  }

  function admitUnknown(address: string): void {
    const isFirst = firsts.take('', address, FIRST_LOOKUP_LIMIT) === 0;
    const retryAfter = inAll.take(isFirst ? 'first' : 'further', '', TOTAL_LOOKUP_LIMIT);
    if (retryAfter > 0) throw new Refusal('unavailable', 'too many unknown chatbots were asked for', { retryAfter });
  }

  return {
    async find(written, address) {
      const uuid = readUuid(written);
      if (uuid === undefined) return undefined;
      const entry = known.get(uuid);
      if (entry && clock() < entry.until) return entry.chatbot;
      const name = entry?.name ?? written;
      if (clock() < (absent.get(name) ?? 0)) return undefined;
      const underWay = lookups.get(name);
      if (underWay) return underWay;
      const visitor = entry ? undefined : address();
      if (visitor !== undefined) admitVisitor(visitor);
      const found = lookUp(name, uuid, visitor).finally(() => lookups.delete(name));
      lookups.set(name, found);
      return found;
    },
    nameOf: (uuid) => known.get(uuid)?.name ?? uuid,
  };
}
