import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRemoteChatbots, type RemoteChatbots } from '../../server/proxy/upstream/remote-chatbots.ts';
import type { RemoteClient } from '../../server/proxy/upstream/remote-client.ts';
import type { Store } from '../../server/store/store.ts';

const RECORD = { name: 'Shop', meta: { visibility: 'public' } };
const uuidAt = (at: number): string => at.toString(16).padStart(32, '0');

let fetched: string[];
let chatbots: RemoteChatbots;

beforeEach(() => {
  fetched = [];
  const chatbot = async (name: string): Promise<unknown> => {
    fetched.push(name);
    return RECORD;
  };
  const client: Partial<RemoteClient> = { chatbot };
  // Known to the store, so that the limit of unknown chatbots does not count them.
  const store: Partial<Store> = { chatbot: async (uuid) => ({ uuid }) as never };
  const log = pino({ enabled: false });
  chatbots = createRemoteChatbots({ client: client as RemoteClient, store: store as Store, clock: () => 0, log });
});

const find = (at: number) => chatbots.find(uuidAt(at), () => `address ${at}`);

describe('the cache of remote chatbots', () => {
  test('holds a thousand records and drops the one used least recently', async () => {
    for (let at = 0; at < 1000; at += 1) await find(at);
    await find(0);
    await find(1000);
    expect(fetched).toHaveLength(1001);
    await find(0);
    expect(fetched).toHaveLength(1001);
    await find(1);
    expect(fetched.at(-1)).toBe(uuidAt(1));
  });

  test('holds no more spellings than records', async () => {
    const dashed = (uuid: string): string => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (let at = 0; at <= 1000; at += 1) await chatbots.find(dashed(uuidAt(at)), () => `address ${at}`);
    expect(chatbots.nameOf(uuidAt(1000))).toBe(dashed(uuidAt(1000)));
    expect(chatbots.nameOf(uuidAt(0))).toBe(uuidAt(0));
  });
});
