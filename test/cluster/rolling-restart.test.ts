import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VisitorMessage } from '../../server/types.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';
import { askWidget, BROWSER_GLOBALS, openWidget } from './widget-visitor.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const VISITORS = 50;
/** Questions of each visitor at least. */
const QUESTIONS = 3;

const piecesFor = (query: string): string[] => [...query.split(/(?<= )/), ...Array(8).fill(' and so on'), '.'];
const answerTo = (query: string): string => piecesFor(query).join('');

describe.skipIf(!postgres)('while four servers are restarted one after another', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let balancer: Balancer;
  let model: FakeModel;
  let chatbot: string;
  beforeEach(async () => {
    for (const [name, value] of Object.entries(BROWSER_GLOBALS)) vi.stubGlobal(name, value);
    const script = ({ body }: { body: { messages: { content: string }[] } }) => ({
      pieces: piecesFor(body.messages.at(-1)!.content),
      pace: 40,
    });
    model = await startFakeModel({ script, searches: { pieces: ['none'] } });
    cluster = await startCluster(postgres!.url, 4, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    chatbot = await makeChatbot(cluster);
    balancer = await startBalancer(cluster.servers.map(({ port }) => port));
  });
  afterEach(async () => {
    await balancer.close();
    await cluster.stop();
    await model.close();
    vi.unstubAllGlobals();
  });

  it(`${VISITORS} visitors get every answer whole, by what the widget does itself`, async () => {
    const restarts = new AbortController();
    const faults: unknown[] = [];

    /** Asks one question after another, and gives the queries and the session. */
    async function visit(visitor: number): Promise<{ session: string; queries: string[] }> {
      const chat = openWidget(`${balancer.base}/${visitor}`, chatbot);
      const queries: string[] = [];
      while (!restarts.signal.aborted || queries.length < QUESTIONS) {
        const query = `How about ${randomBytes(6).toString('hex')} then`;
        queries.push(query);
        const { status, text, failure } = await askWidget(chat, query);
        const seen = { is: status.peek().is, text: text.peek() };
        if (seen.is !== 'done' || seen.text !== answerTo(query)) faults.push({ ...seen, ...status.peek(), failure });
        // Some ask again at once, over a connection that has just been used.
        if (visitor % 5 > 0) await sleep(Math.random() * 1500);
      }
      return { session: chat.storage.read().session!, queries };
    }

    const visits = Array.from({ length: VISITORS }, (_, n) => visit(n));
    const codes: (number | null)[] = [];
    for (const at of cluster.servers.keys()) {
      codes.push(await cluster.servers[at]!.end());
      await cluster.start(at);
    }
    restarts.abort();
    const visited = await Promise.all(visits);
    expect(faults).toEqual([]);
    expect(codes).toEqual([0, 0, 0, 0]);
    for (const [n, { session, queries }] of visited.entries()) {
      const reply = await fetch(`${balancer.base}/${n}/chat/${chatbot}/session/${session}/messages`);
      const stored = ((await reply.json()) as VisitorMessage[]).map(({ query, response }) => ({ query, response }));
      expect(stored).toEqual(queries.map((query) => ({ query, response: answerTo(query) })));
    }
    expect(model.requests).toHaveLength(visited.flatMap(({ queries }) => queries).length);
  });
});
