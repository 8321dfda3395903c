import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VisitorMessage } from '../../server/types.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { textOf, uuidOf, watch } from '../proxy/fixture.ts';
import { until } from '../running.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';
import { answerWhole, startTraffic } from './traffic.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const LONG = Array.from({ length: 3000 }, (_, n) => ` ${n}`);
/** 15 s, and as long again for a machine under load. */
const INTERRUPTED_MS = 30_000;

describe.skipIf(!postgres)('with four servers, each killed in turn', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let model: FakeModel;
  let chatbot: string;
  beforeEach(async () => {
    model = await startFakeModel({
      script: (request) =>
        request.body.messages.at(-1)!.content === 'Count' ? { pieces: LONG, pace: 20 } : answerWhole(request),
      searches: { pieces: ['none'] },
    });
    cluster = await startCluster(postgres!.url, 4, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    chatbot = await makeChatbot(cluster);
  });
  afterEach(async () => {
    await cluster.stop();
    await model.close();
  });

  /** Kills server `at` in a long answer that another one reads, and starts it anew. Resolves when the reader has been told. */
  async function killWhileRead(at: number): Promise<{ told: Promise<void> }> {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.2.0.${at}` };
    const server = cluster.servers[at]!;
    const body = JSON.stringify({ query: 'Count' });
    const own = await watch(`${server.base}/chat/${chatbot}/ask`, { method: 'POST', headers, body });
    const events = await own.until((seen) => textOf(seen).length > 50);
    const session = uuidOf(events, 'session');
    const path = `/chat/${chatbot}/session/${session}`;
    const message = `${path}/message/${uuidOf(events, 'message')}`;
    const reader = cluster.servers[(at + 1) % 4]!;
    const read = await watch(`${reader.base}${message}/stream`, { headers });
    await read.until((seen) => textOf(seen).length > 50);
    const begin = performance.now();
    await server.kill();
    const check = async (): Promise<void> => {
      const told = await read.done;
      expect(performance.now() - begin).toBeLessThan(INTERRUPTED_MS);
      const [stored] = (await (await fetch(`${reader.base}${path}/messages`)).json()) as VisitorMessage[];
      expect(stored).toMatchObject({ finish_reason: 'interrupted' });
      expect(told.at(-1)).toEqual({ event: 'done', data: stored });
      expect(textOf(told)).toBe(stored!.response);
      const seen = textOf(own.events());
      expect(seen.length).toBeGreaterThan(50);
      expect(stored!.response.startsWith(seen)).toBe(true);
      expect(LONG.join('').trim().startsWith(stored!.response)).toBe(true);
    };
    const told = check();
    // Of several that fail the first one is told.
    told.catch(() => {});
    await cluster.start(at);
    return { told };
  }

  it('loses and doubles nothing that was acknowledged, and tells the readers of answers that it cut', async () => {
    const traffic = startTraffic(cluster, chatbot, 12);
    // Of each two the others are the readers: these are killed once they have been told.
    for (const two of [
      [0, 2],
      [1, 3],
    ]) {
      const readers: Promise<void>[] = [];
      for (const at of two) {
        const before = traffic.acknowledged();
        await until(
          async () => traffic.acknowledged(),
          (count) => count >= before + 10,
        );
        readers.push((await killWhileRead(at)).told);
      }
      await Promise.all(readers);
    }
    await traffic.end();
    expect(await traffic.faults()).toEqual([]);
    // Else nothing was tested.
    expect(traffic.ledger.cut).toBeGreaterThan(0);
  });
});
