import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startFakeRemote } from '../fakes/remote.ts';
import { parseEvents, post, uuidOf, watch, type WatchedStream } from '../proxy/fixture.ts';
import { until } from '../running.ts';
import { startChild } from '../server/child.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { startCluster, type Cluster } from './cluster.ts';

/** Two servers in front of another server: they ask it in one session of its own for each of theirs. */

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const isCreate = ({ url }: IncomingMessage): boolean => url!.endsWith('/session/create');

/** Calls what it is given once `count` have come. */
function meeting(count: number): (act: () => void) => void {
  const held: (() => void)[] = [];
  return (act) => {
    if (held.push(act) >= count) for (const one of held.splice(0)) one();
  };
}

describe.skipIf(!postgres)('two questions of one conversation at the same moment', { timeout: 60_000 }, () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function startServers(url: string, key: string): Promise<Cluster> {
    const cluster = await startCluster(postgres!.url, 2, { UPSTREAM_URL: url, UPSTREAM_API_KEY: key });
    ends.push(() => cluster.stop());
    return cluster;
  }

  /** Asks one question on each server, in a new conversation. Resolves with how its answers ended. */
  async function askBoth({ servers: [a, b] }: Cluster, chatbot: string) {
    const chat = (base: string): string => `${base}/chat/${chatbot}`;
    const { uuid: session } = (await (await post(`${chat(a!.base)}/session`, {})).json()) as { uuid: string };
    const ask = async (base: string, query: string) =>
      parseEvents(await (await post(`${chat(base)}/ask`, { query, session })).text());
    const answers = await Promise.all([ask(a!.base, 'How long?'), ask(b!.base, 'How much?')]);
    return {
      session,
      last: answers.map((events) => events.at(-1)!.event),
      ask: (query: string) => ask(b!.base, query),
    };
  }

  it('are asked in one session of a server of docent', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-upstream-'));
    ends.push(() => rm(dir, { recursive: true, force: true }));
    const upstream = await startChild({ DATA_DIR: dir, API_KEY: 'the-key-of-the-upstream' });
    ends.push(() => upstream.kill());
    const headers = { authorization: 'Bearer the-key-of-the-upstream', 'content-type': 'application/json' };
    const api = async (method: string, path: string, body?: object) => {
      const reply = await fetch(`${upstream.base}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
      return reply.json();
    };
    const { uuid: chatbot } = await api('POST', '/chatbot/create', { name: 'Behind', visibility: 'public' });
    const front = await startFront(upstream.port);
    ends.push(front.close);
    const { last } = await askBoth(await startServers(front.url, 'the-key-of-the-upstream'), chatbot);
    expect(last).toEqual(['done', 'done']);
    const sessions = (await api('GET', `/chatbot/${chatbot}/sessions`)) as { uuid: string }[];
    const messages = await Promise.all(sessions.map(({ uuid }) => api('GET', `/session/${uuid}/messages`)));
    expect(messages.map((all: { query: string }[]) => all.map(({ query }) => query).toSorted())).toEqual([
      ['How long?', 'How much?'],
    ]);
  });

  it('leave one session on a server without Idempotency-Key', async () => {
    const remote = await startFakeRemote();
    ends.push(() => remote.close());
    const meet = meeting(2);
    remote.instead = (one, reply) => {
      if (!isCreate(one)) return false;
      meet(() => {
        const uuid = `session-${remote.queries.size}`;
        remote.queries.set(uuid, []);
        const times = { created_at: '2026-01-02T03:04:05Z', modified_at: '2026-01-02T03:04:05Z' };
        reply.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ uuid, ...times }));
      });
      return true;
    };
    const cluster = await startServers(remote.url, remote.key);
    const { last, ask } = await askBoth(cluster, '0123456789abcdef0123456789abcdef');
    expect(last).toEqual(['done', 'done']);
    const left = await until(
      async () => [...remote.queries.values()],
      ({ length }) => length === 1,
    );
    // The conversation goes on there.
    expect(uuidOf(await ask('How far?'), 'message')).toMatch(/^[0-9a-f]{32}$/);
    expect([...remote.queries.values()]).toEqual([[left[0]![0], 'How far?']]);
  });

  it('keep a session on such a server until the last answer that is made in it has ended', async () => {
    const remote = await startFakeRemote();
    ends.push(() => remote.close());
    const creations: (() => void)[] = [];
    remote.instead = (one, reply) => {
      if (!isCreate(one)) return false;
      const uuid = `session-${creations.length}`;
      remote.queries.set(uuid, []);
      const times = { created_at: '2026-01-02T03:04:05Z', modified_at: '2026-01-02T03:04:05Z' };
      const create = () =>
        reply.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ uuid, ...times }));
      if (creations.push(create) > 1) create();
      return true;
    };
    let goOn: () => void = () => {};
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    remote.stream = async (reply, query) => {
      if (query === 'How much?') await hold;
      reply.end('Thirty.');
    };
    const cluster = await startServers(remote.url, remote.key);
    const [a, b] = cluster.servers.map(({ base }) => `${base}/chat/0123456789abcdef0123456789abcdef`);
    const { uuid: session } = (await (await post(`${a}/session`, {})).json()) as { uuid: string };
    const headers = { 'content-type': 'application/json' };
    const ask = async (base: string, query: string): Promise<WatchedStream> => {
      const stream = await watch(`${base}/ask`, { method: 'POST', headers, body: JSON.stringify({ query, session }) });
      await stream.until((seen) => seen.some(({ event }) => event === 'message'));
      return stream;
    };
    const first = await ask(a!, 'How long?');
    const second = await ask(a!, 'How much?');
    await until(
      async () => creations,
      ({ length }) => length === 1,
    );
    // Another server stores its own session first.
    expect((await (await ask(b!, 'How far?')).done).at(-1)).toMatchObject({ event: 'done' });
    creations[0]!();
    expect((await first.done).at(-1)).toMatchObject({ event: 'done' });
    await until(
      async () => remote.queries.get('session-0'),
      (queries) => queries?.length === 2,
    );
    // Both are asked there, and one has ended.
    await wait(1000);
    expect([...remote.queries.keys()]).toEqual(['session-0', 'session-1']);
    goOn();
    expect((await second.done).at(-1)).toMatchObject({ event: 'done', data: { response: 'Thirty.' } });
    await until(
      async () => [...remote.queries.keys()],
      (left) => left.join() === 'session-1',
    );
  });
});

/** Passes all on to a port; sessions are created once two are to be. */
async function startFront(port: number): Promise<{ url: string; close(): Promise<unknown> }> {
  const meet = meeting(2);
  const pass = (from: IncomingMessage, reply: ServerResponse): void => {
    const { method, url, headers } = from;
    const on = request({ port, method, path: url, headers }, (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    from.pipe(on);
  };
  const server = createServer((from, reply) => {
    if (isCreate(from)) meet(() => pass(from, reply));
    else pass(from, reply);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
