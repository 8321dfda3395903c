import type { Logger } from 'pino';
import { readUuid, type Clock } from '../records.ts';
import type { Store, StoredChatbot } from '../store/store.ts';
import { readChatbot } from './foreign-records.ts';
import type { InterfaceClient } from './interface-client.ts';

/** Chatbots of another server: a page with the widget asks for its own at every visit, the server is asked now and then. */
export interface ForeignChatbots {
  find(written: string): Promise<StoredChatbot | undefined>;
  /** The identifier as the other server takes it: with dashes, where the visitor's page writes them. */
  nameOf(uuid: string): string;
}

interface Rooms {
  client: InterfaceClient;
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Milliseconds that a record is believed, and that there is none. */
const FRESH = 30_000;
const ABSENT = 5_000;
const REMEMBERED = 1_000;

export function createForeignChatbots({ client, store, clock, log }: Rooms): ForeignChatbots {
  const known = new Map<string, { until: number; found: Promise<StoredChatbot | undefined> }>();
  const names = new Map<string, string>();
  const keeping = new Map<string, Promise<void>>();

  async function fetch(written: string, uuid: string): Promise<StoredChatbot | undefined> {
    const reply = await client.chatbot(written);
    if (reply === undefined) return undefined;
    const chatbot = readChatbot(reply, uuid, clock);
    names.set(uuid, written);
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

  async function look(written: string, uuid: string): Promise<StoredChatbot | undefined> {
    try {
      const found = await fetch(written, uuid);
      const entry = known.get(written);
      if (entry && !found) entry.until = clock() + ABSENT;
      return found;
    } catch (error) {
      known.delete(written);
      throw error;
    }
  }

  return {
    async find(written) {
      const uuid = readUuid(written);
      if (uuid === undefined) return undefined;
      const entry = known.get(written);
      if (entry && clock() < entry.until) return entry.found;
      const found = look(written, uuid);
      known.delete(written);
      known.set(written, { until: clock() + FRESH, found });
      if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
      return found;
    },
    nameOf: (uuid) => names.get(uuid) ?? uuid,
  };
}
