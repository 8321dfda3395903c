import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VisitorMessage } from '../../../server/types.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { textOf, uuidOf, watch } from '../../proxy/fixture.ts';
import { until } from '../../running.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { startBalancer, type Balancer } from '../balancer.ts';
import { makeChatbot, startCluster, type Cluster } from '../cluster.ts';
import { answerTo, answerWhole, startTraffic, type Traffic } from '../traffic.ts';
import { askWidget, BROWSER_GLOBALS, openWidget } from '../widget-visitor.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());
// Not sooner: timers of the widget's outlive its answers.
afterAll(() => void vi.unstubAllGlobals());

const LONG = Array.from({ length: 3000 }, (_, n) => ` ${n}`);
const VISITORS = 6;

describe.skipIf(!postgres)('of three servers, one that is cut off from the database', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let balancer: Balancer;
  let model: FakeModel;
  let chatbot: string;
  let traffic: Traffic;
  beforeEach(async () => {
    for (const [name, value] of Object.entries(BROWSER_GLOBALS)) vi.stubGlobal(name, value);
    model = await startFakeModel({
      script: (request) =>
        request.body.messages.at(-1)!.content === 'Count' ? { pieces: LONG, pace: 20 } : answerWhole(request),
      searches: { pieces: ['none'] },
    });
    cluster = await startCluster(postgres!.url, 3, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    chatbot = await makeChatbot(cluster);
    balancer = await startBalancer(cluster.servers.map(({ port }) => port));
    traffic = startTraffic(cluster, chatbot, VISITORS);
  });
  afterEach(async () => {
    await traffic.end();
    await balancer.close();
    await cluster.stop();
    await model.close();
  });

  const readiness = (): Promise<string[]> =>
    Promise.all(
      cluster.servers.map(
        async ({ base }) => ((await (await fetch(`${base}/readyz`)).json()) as { status: string }).status,
      ),
    );
  const untilAnswered = (more: number): Promise<number> => {
    const before = traffic.acknowledged();
    return until(
      async () => traffic.acknowledged(),
      (count) => count >= before + more,
    );
  };
  const listed = async (path: string): Promise<VisitorMessage[]> =>
    (await (await fetch(`${cluster.servers[1]!.base}${path}/messages`)).json()) as VisitorMessage[];

  /** A long answer of the first server's, read there and from the second. */
  async function askFirst() {
    const [first, second] = cluster.servers;
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '10.2.0.1' };
    const body = JSON.stringify({ query: 'Count' });
    const own = await watch(`${first!.base}/chat/${chatbot}/ask`, { method: 'POST', headers, body });
    const events = await own.until((seen) => textOf(seen).length > 50);
    const path = `/chat/${chatbot}/session/${uuidOf(events, 'session')}`;
    const other = await watch(`${second!.base}${path}/message/${uuidOf(events, 'message')}/stream`, { headers });
    await other.until((seen) => textOf(seen).length > 50);
    return { path, own, other };
  }

  it('says so, and comes back; no visitor loses what was acknowledged, or is left without an answer', async () => {
    await untilAnswered(10);
    const { path, own, other } = await askFirst();
    const queryOf = (): string => `How about ${randomBytes(6).toString('hex')} then`;
    const chats = Array.from({ length: VISITORS }, (_, n) => openWidget(`${balancer.base}/${n}`, chatbot));
    // Of those some are answered by the first server when it is cut off.
    const asking = chats.map((chat) => askWidget(chat, queryOf()));
    await until(
      async () => chats.filter((chat) => chat.turns.peek()[0]!.text.peek() !== '').length,
      (count) => count > 0,
    );
    cluster.networks[0]!.cut();
    await until(readiness, ([first]) => first === 'failing');
    expect((await fetch(`${cluster.servers[0]!.base}/readyz`)).status).toBe(503);
    expect((await readiness()).slice(1)).toEqual(['ok', 'ok']);
    await untilAnswered(20);

    // The others take its answers for interrupted; what visitors have seen of them is what they begin with.
    const told = await other.done;
    const [stored] = await listed(path);
    expect(stored).toMatchObject({ query: 'Count', finish_reason: 'interrupted' });
    expect(told.at(-1)).toEqual({ event: 'done', data: stored });
    expect(textOf(told)).toBe(stored!.response);
    const seen = textOf(own.events());
    expect(seen.length).toBeGreaterThan(50);
    expect(stored!.response.startsWith(seen)).toBe(true);
    expect(LONG.join('').trim().startsWith(stored!.response)).toBe(true);

    // What a widget cannot end by itself it lets its visitor ask again, once.
    for (const [n, turn] of (await Promise.all(asking)).entries()) {
      expect(answerTo(turn.query).startsWith(turn.text.peek())).toBe(true);
      if (turn.status.peek().is !== 'done') chats[n]!.retry(turn);
    }
    const lasts = () => chats.map((chat) => chat.turns.peek().at(-1)!);
    await until(
      async () => lasts().map(({ status }) => status.peek().is),
      (all) => all.every((is) => is === 'done'),
    );
    expect((await readiness())[0]).toBe('failing');
    const more = await Promise.all(chats.map((chat) => askWidget(chat, queryOf())));
    expect(more.map(({ status }) => status.peek().is)).toEqual(Array(VISITORS).fill('done'));

    cluster.networks[0]!.mend();
    await until(readiness, (all) => all.every((status) => status === 'ok'));
    await untilAnswered(20);
    const back = openWidget(cluster.servers[0]!.base, chatbot);
    const query = queryOf();
    expect((await askWidget(back, query)).text.peek()).toBe(answerTo(query));
    await traffic.end();
    expect(
      await until(
        () => traffic.faults(),
        (faults) => faults.length === 0,
      ),
    ).toEqual([]);
    // Else nothing was tested.
    expect(traffic.ledger.cut).toBeGreaterThan(0);
  });
});
