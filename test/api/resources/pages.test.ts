import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serializeBatches } from '../../../server/http/json-list.ts';
import { learned, newChatbot, newSession, newTag, startApiFixture, QA, type ApiFixture } from '../api-fixture.ts';

/** Lists by pages, and long lists as they are read. */

let w: ApiFixture;
let chatbot: string;
beforeAll(async () => {
  w = await startApiFixture();
  chatbot = await newChatbot(w);
});
afterAll(() => w.stop());

const SOME = 5;

const lists: [string, () => Promise<string>][] = [
  [
    'chatbots',
    async () => {
      for (let i = 1; i < SOME; i++) await newChatbot(w, `Bot ${i}`);
      return '/api/v1/chatbots';
    },
  ],
  [
    'agents',
    async () => {
      const agent = { name: 'Desk', type: 'pre-canned' };
      for (let i = 1; i < SOME; i++) await w.call('POST', `/api/v1/chatbot/${chatbot}/agent/create`, agent);
      return `/api/v1/chatbot/${chatbot}/agents`;
    },
  ],
  [
    'sources',
    async () => {
      for (let i = 0; i < SOME; i++) {
        const question = `${QA.question} (${i})`;
        const source = await w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/qa`, { ...QA, question });
        await learned(w, source.body.uuid);
      }
      return `/api/v1/chatbot/${chatbot}/data-sources`;
    },
  ],
  [
    'source tags',
    async () => {
      for (let i = 0; i < SOME; i++) await newTag(w, chatbot);
      return `/api/v1/chatbot/${chatbot}/source-tags`;
    },
  ],
  [
    'sessions',
    async () => {
      for (let i = 0; i < SOME; i++) await newSession(w, chatbot);
      return `/api/v1/chatbot/${chatbot}/sessions`;
    },
  ],
  [
    'messages',
    async () => {
      const session = await newSession(w, chatbot);
      const path = `/api/v1/session/${session}`;
      for (let i = 0; i < SOME; i++) await w.call('POST', `${path}/message/non-stream`, { query: QA.question });
      return `${path}/messages`;
    },
  ],
];

describe('the list of sources', () => {
  it('is narrowed by words of title or address, by state, and page by page', async () => {
    const bot = await newChatbot(w, 'Narrow');
    const base = `/api/v1/chatbot/${bot}`;
    const titles = ['Lamps and bulbs', 'LAMPS for rooms', 'Chairs'];
    for (const question of titles) {
      const source = await w.call('POST', `${base}/data-source/qa`, { ...QA, question });
      await learned(w, source.body.uuid);
    }
    const lost = (await w.call('POST', `${base}/data-source/url`, { url: 'http://127.0.0.1:9/lamp' })).body.uuid;
    await learned(w, lost);
    const list = async (search: string): Promise<{ uuid: string; title: string }[]> =>
      (await w.call('GET', `${base}/data-sources?${search}`)).body;
    const named = async (search: string): Promise<string[]> => (await list(search)).map(({ title }) => title);
    expect(await named('search=lamps')).toEqual(titles.slice(0, 2));
    expect(await named('search=lamp&state=ready')).toEqual(titles.slice(0, 2));
    expect((await list('search=/LAMP')).map(({ uuid }) => uuid)).toEqual([lost]);
    expect((await list('state=failed')).map(({ uuid }) => uuid)).toEqual([lost]);
    expect(await list('state=pending')).toEqual([]);
    const [first, second] = await list('search=lamp&limit=2');
    expect((await list(`search=lamp&limit=2&after=${second!.uuid}`)).map(({ uuid }) => uuid)).toEqual([lost]);
    // A record that the list leaves out still says where a page begins.
    expect(await named(`search=chairs&after=${first!.uuid}`)).toEqual(['Chairs']);
  });
});

describe.each(lists)('a list of %s', (_what, make) => {
  it('is had page by page, each behind the last record of the one before, and whole without either', async () => {
    const path = await make();
    const get = async (search: string) => (await w.call('GET', path + search)).body as { uuid: string }[];
    const all = await get('');
    expect(all.length).toBeGreaterThanOrEqual(SOME);
    for (const limit of [1, 2, all.length, 1000]) {
      const pages: { uuid: string }[] = await get(`?limit=${limit}`);
      for (let page = pages; page.length > 0; pages.push(...page)) {
        expect(page.length).toBeLessThanOrEqual(limit);
        page = await get(`?limit=${limit}&after=${pages.at(-1)!.uuid}`);
      }
      expect(pages).toEqual(all);
    }
    expect(await get(`?after=${all[1]!.uuid}`)).toEqual(all.slice(2));
    const dashed = all[1]!.uuid.replace(/^(.{8})(.{4})/, '$1-$2-').toUpperCase();
    expect(await get(`?after=${dashed}`)).toEqual(all.slice(2));
  });

  it('knows no record of another list to go on behind', async () => {
    const stranger = await newSession(w, await newChatbot(w, 'Another'));
    const { status, body } = await w.call('GET', `${await make()}?after=${stranger}`);
    expect([status, body.field]).toEqual([422, 'after']);
  });
});

describe('sessions of a period', () => {
  it('are paged among those of the period, from behind any session', async () => {
    const bot = await newChatbot(w);
    const uuids = [];
    for (let i = 0; i < 4; i++) uuids.push(await newSession(w, bot));
    const get = async (search: string) => (await w.call('GET', `/api/v1/chatbot/${bot}/sessions${search}`)).body;
    const page = await get(`?start_timestamp=2000-01-01&limit=2&after=${uuids[0]}`);
    expect(page.map(({ uuid }: { uuid: string }) => uuid)).toEqual(uuids.slice(1, 3));
    expect(await get(`?end_timestamp=2000-01-01&limit=2&after=${uuids[0]}`)).toEqual([]);
  });
});

/** Records of a hundred bytes or so, and how many were asked for. */
function source(count: number, batch = 100) {
  const told = { read: 0 };
  async function* batches() {
    for (let at = 0; at < count; at += batch) {
      const some = Array.from({ length: Math.min(batch, count - at) }, (_, i) => ({
        number: at + i,
        padding: PADDING,
      }));
      told.read += some.length;
      yield some;
    }
  }
  return { told, batches };
}
const PADDING = 'é'.repeat(50);

const bytesOf = async (list: Buffer | Readable): Promise<Buffer> =>
  Buffer.isBuffer(list) ? list : Buffer.concat((await list.toArray()) as Buffer[]);

describe('a list that is shown as it is read', () => {
  it.each([0, 1, 99, 100, 101, 1000, 5000])('of %i records has the bytes of the whole', async (count) => {
    const all = ((await Readable.from(source(count).batches()).toArray()) as object[][]).flat();
    const list = await serializeBatches(source(count).batches(), (one) => one);
    expect(String(await bytesOf(list))).toBe(JSON.stringify(all));
    // A short list has a length to tell, and fails as a whole.
    expect(Buffer.isBuffer(list)).toBe(count < 200);
  });

  it.each([1, 99, 100, 101, 450])('of at most %i records reads no batch beyond', async (limit) => {
    const { told, batches } = source(5000);
    const list = await serializeBatches(batches(), ({ number }) => number, { limit });
    expect(JSON.parse(String(await bytesOf(list)))).toEqual(Array.from({ length: limit }, (_, i) => i));
    expect(told.read).toBe(Math.ceil(limit / 100) * 100);
  });

  it('waits for a caller who does not read: neither records nor bytes pile up', async () => {
    const MANY = 400_000;
    const { told, batches } = source(MANY);
    let buffered = () => 0;
    const server = createServer(async (_request, response) => {
      const list = (await serializeBatches(batches(), (one) => one)) as Readable;
      buffered = () => list.readableLength + response.writableLength;
      pipeline(list, response, () => {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    // The system's own buffers are full when nothing was read for a thousand turns.
    for (let still = 0, last = -1; still < 1000; still = last === told.read ? still + 1 : 0) {
      last = told.read;
      await turn();
      if (told.read === 0) still = 0;
    }
    expect(told.read).toBeLessThan(MANY / 2);
    expect(buffered()).toBeLessThan(256 * 1024);
    let size = 0;
    socket.on('data', (piece) => (size += piece.length)).resume();
    await once(socket, 'close');
    expect(told.read).toBe(MANY);
    expect(size).toBeGreaterThan(MANY * 100);
    server.close();
  });

  it('breaks the connection where it cannot be read on, and never looks whole', async () => {
    async function* failing() {
      yield* source(1000).batches();
      throw new Error('the disk has gone');
    }
    const list = (await serializeBatches(failing(), (one) => one)) as Readable;
    await expect(list.toArray()).rejects.toThrow('the disk has gone');
    async function* atOnce() {
      yield [{ number: 1 }];
      throw new Error('the disk has gone');
    }
    await expect(serializeBatches(atOnce(), (one) => one)).rejects.toThrow('the disk has gone');
  });
});
