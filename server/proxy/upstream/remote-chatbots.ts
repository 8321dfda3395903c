import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Refusal } from '../../schema/errors.ts';
import { createVisitorLimits } from '../../http/rate-limit.ts';
import { readUuid, type Clock } from '../../schema/ids.ts';
import type { Store, StoredChatbot } from '../../store/store.ts';
import { readChatbot } from './remote-records.ts';
import type { RemoteClient } from './remote-client.ts';

/** Chatbots of another server: a page with the widget asks for its own at every visit, the server is asked now and then. */
export interface RemoteChatbots {
  /** Throws a `Refusal` where the visitor at this address has named too many that were not known here. */
  find(written: string, address: () => string): Promise<StoredChatbot | undefined>;
  /** The identifier as the other server takes it: with dashes, where the visitor's page writes them. */
  nameOf(uuid: string): string;
}

interface RemoteChatbotsDeps {
  client: RemoteClient;
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Milliseconds that a record is believed, and that there is none. */
const FRESH_MS = 30_000;
const ABSENT_MS = 5_000;
const MAX_CACHED = 1_000;
/** Requests to the other server for chatbots that are not known here, of one visitor and of all together. */
const LOOKUP_LIMIT: [count: number, seconds: number] = [30, 60];
const TOTAL_LOOKUP_LIMIT: [count: number, seconds: number] = [100, 60];
/** The first look of a visitor counts with other visitors' first ones: a few who look for many shut out nobody else. */
const FIRST_LOOKUP_LIMIT: [count: number, seconds: number] = [1, 60];

export function createRemoteChatbots({ client, store, clock, log }: RemoteChatbotsDeps): RemoteChatbots {
  const known = new LRUCache<string, { until: number; chatbot: StoredChatbot; name: string }>({ max: MAX_CACHED });
  // By what was written: the other server may know one spelling of an identifier and not another.
  const absent = new LRUCache<string, number>({ max: MAX_CACHED });
  const asking = new Map<string, Promise<StoredChatbot | undefined>>();
  const limits = createVisitorLimits({ clock });
  const firsts = createVisitorLimits({ clock });
  const inAll = createVisitorLimits({ clock });
  const keeping = new Map<string, Promise<void>>();

  async function fetch(written: string, uuid: string): Promise<StoredChatbot | undefined> {
    const reply = await client.chatbot(written);
    if (reply === undefined) return undefined;
    const chatbot = readChatbot(reply, uuid, clock);
    if (chatbot.meta.visibility === 'private')
      log.info({ chatbot: uuid }, 'this chatbot is private: visitors get a 404');
    else await keep(chatbot);
    return chatbot;
  }

  /** The store keeps no session without its chatbot: a record that no user owns stands for the other server's. */
  function keep(chatbot: StoredChatbot): Promise<void> {
    const kept = keeping.get(chatbot.uuid) ?? keepNow(chatbot).finally(() => keeping.delete(chatbot.uuid));
    keeping.set(chatbot.uuid, kept);
    return kept;
  }

  async function keepNow(chatbot: StoredChatbot): Promise<void> {
    if (!(await store.chatbot(chatbot.uuid))) await store.createChatbot(chatbot, []);
  }

  async function look(written: string, uuid: string, address?: string): Promise<StoredChatbot | undefined> {
    // A chatbot that was there before is found again, however many unknown ones are asked for.
    if (address !== undefined && !(await store.chatbot(uuid))) admitAny(address);
    const chatbot = await fetch(written, uuid);
    if (chatbot) known.set(uuid, { until: clock() + FRESH_MS, chatbot, name: written });
    else {
      known.delete(uuid);
      absent.set(written, clock() + ABSENT_MS);
    }
    return chatbot;
  }

  function admitVisitor(address: string): void {
    const retryAfter = limits.take('', address, LOOKUP_LIMIT);
    if (retryAfter > 0) throw new Refusal('rate_limited', 'too many unknown chatbots were asked for', { retryAfter });
  }

  function admitAny(address: string): void {
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
      const underWay = asking.get(name);
      if (underWay) return underWay;
      const visitor = entry ? undefined : address();
      if (visitor !== undefined) admitVisitor(visitor);
      const found = look(name, uuid, visitor).finally(() => asking.delete(name));
      asking.set(name, found);
      return found;
    },
    nameOf: (uuid) => known.get(uuid)?.name ?? uuid,
  };
}
