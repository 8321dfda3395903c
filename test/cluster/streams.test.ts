import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { VisitorMessage } from '../../server/types.ts';
import { newUuid } from '../../server/schema/ids.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { parseEvents, post, textOf, uuidOf, watch, type SeenEvent, type WatchedStream } from '../proxy/fixture.ts';
import type { Child } from '../server/child.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

/** Every kind of character that an offset or a piece may cut: of two, three and four bytes, of two UTF-16 units, joined ones. */
const PIECES = Array.from({ length: 60 }, (_, n) => [' Fähre', ' 渡し船', ' ⛴️🎉', '\n\n- quay', ` ${n}`][n % 5]!);
const WHOLE = PIECES.join('').trim();

describe.skipIf(!postgres)(
  'an answer, with three servers more than the one that makes it',
  { timeout: 180_000 },
  () => {
    let cluster: Cluster;
    let [a, b, c, d]: Child[] = [];
    let model: FakeModel;
    let chatbot: string;
    beforeAll(async () => {
      model = await startFakeModel({ script: { pieces: PIECES, pace: 20 } });
      cluster = await startCluster(postgres!.url, 4, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
      [a, b, c, d] = cluster.servers;
      chatbot = await makeChatbot(cluster);
    });
    afterAll(async () => {
      await cluster.stop();
      await model.close();
    });
    beforeEach(() => void model.requests.splice(0));

    const askAt = (server: Child, body: object): Promise<WatchedStream> =>
      watch(`${server.base}/chat/${chatbot}/ask`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });

    /** Asks A; `path` is the message's. */
    async function askA(): Promise<{ own: WatchedStream; path: string; session: string }> {
      const own = await askAt(a!, { query: 'How does one get there?' });
      const events = await own.until((seen) => seen.some(({ event }) => event === 'message'));
      const session = uuidOf(events, 'session');
      return { own, session, path: `/chat/${chatbot}/session/${session}/message/${uuidOf(events, 'message')}` };
    }

    const resumeAt = (server: Child, path: string, from: number): Promise<WatchedStream> =>
      watch(`${server.base}${path}/stream`, { headers: { 'Last-Event-ID': String(from) } });
    const storedAt = async (server: Child, session: string): Promise<VisitorMessage[]> =>
      (await fetch(`${server.base}/chat/${chatbot}/session/${session}/messages`)).json() as never;
    const isLonger = (length: number) => (events: SeenEvent[]) => textOf(events).length >= length;

    /** Each piece begins where the one before it has ended, by their ids. */
    function expectNoGap(events: SeenEvent[], from: number): void {
      let at = from;
      for (const event of events) {
        if (event.event !== 'delta') continue;
        at += event.data.text.length;
        expect(event.id).toBe(String(at));
      }
    }

    it('is read from another server, from any offset on and to its end, byte for byte', async () => {
      const { own, path, session } = await askA();
      const atStart = await resumeAt(b!, path, 0);
      const [, part] = await Promise.all([own.until(isLonger(60)), atStart.until(isLonger(40))]);
      const from = textOf(part).length;
      const inMiddle = await resumeAt(d!, path, from);
      const events = await Promise.all([own.done, atStart.done, inMiddle.done]);
      expect(events.map(textOf)).toEqual([WHOLE, WHOLE, WHOLE.slice(from)]);
      for (const [n, seen] of events.entries()) expectNoGap(seen, n === 2 ? from : 0);
      const [stored] = await storedAt(c!, session);
      expect(stored).toMatchObject({ response: WHOLE, finish_reason: 'stop' });
      for (const seen of events) expect(seen.at(-1)).toEqual({ event: 'done', data: stored });
      expect(textOf(await (await resumeAt(c!, path, from)).done)).toBe(WHOLE.slice(from));
      expect(model.requests).toHaveLength(1);
    });

    it('is stopped from a third server, and keeps what was written', async () => {
      const { own, path, session } = await askA();
      const other = await resumeAt(b!, path, 0);
      await Promise.all([own.until(isLonger(60)), other.until(isLonger(60))]);
      expect(await (await post(`${c!.base}${path}/stop`)).json()).toEqual({ success: true });
      const streams = await Promise.all([own.done, other.done]);
      for (const server of cluster.servers) {
        const [stored] = await storedAt(server, session);
        expect(stored).toMatchObject({ finish_reason: 'stopped' });
        expect(stored!.response.length).toBeLessThan(WHOLE.length);
        expect(WHOLE.startsWith(stored!.response)).toBe(true);
        for (const seen of streams) {
          expect(stored!.response.startsWith(textOf(seen))).toBe(true);
          expect(seen.at(-1)).toEqual({ event: 'done', data: stored });
        }
      }
    });

    it('is one, where the same question comes to all four at the same moment', async () => {
      const askAll = async (): Promise<void> => {
        const body = { query: 'How does one get there?', id: newUuid() };
        const streams = await Promise.all(cluster.servers.map((server) => askAt(server, body)));
        const [own, ...others] = await Promise.all(streams.map(({ done }) => done));
        const [session, message] = [uuidOf(own!, 'session'), uuidOf(own!, 'message')];
        expect(textOf(own!)).toBe(WHOLE);
        for (const seen of others) {
          expect([uuidOf(seen, 'session'), uuidOf(seen, 'message')]).toEqual([session, message]);
          expect(textOf(seen)).toBe(WHOLE);
          expect(seen.at(-1)).toEqual(own!.at(-1));
          expectNoGap(seen, 0);
        }
        for (const server of cluster.servers)
          expect(await storedAt(server, session)).toMatchObject([{ uuid: message, response: WHOLE }]);
        const again = await post(`${d!.base}/chat/${chatbot}/ask`, body);
        expect(textOf(parseEvents(await again.text()))).toBe(WHOLE);
      };
      // Of one visitor a server makes three answers at once.
      await Promise.all(Array.from({ length: 3 }, askAll));
      expect(model.requests).toHaveLength(3);
    });
  },
);
