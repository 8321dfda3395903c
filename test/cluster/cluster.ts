import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts';
import { startChild, type Child } from '../server/child.ts';
import { makeSchema } from '../store/postgres/fixture.ts';

/** Several built servers, each a process with a folder of its own, on one schema of a database. */
export interface Cluster {
  /** In place of one that was restarted, the new one. */
  servers: Child[];
  /** The schema, past the `network`. */
  database: string;
  /** Between the servers and the database: all of `networks` at once. */
  network: Pick<TcpProxy, 'cut' | 'breakOffAfter' | 'loseReplies' | 'mend'>;
  /** One a server. */
  networks: TcpProxy[];
  /** Calls /api/v1 of a server as the key holder; throws unless it answers 200. */
  api<T>(server: Child, method: string, path: string, body?: object): Promise<T>;
  /** Starts server number `at` anew, on the same port and in the same folder, once it has ended. */
  start(at: number): Promise<void>;
  /** Kills all, and removes what they have stored. */
  stop(): Promise<void>;
}

export const API_KEY = 'the-key-of-the-cluster-tests';

export async function startCluster(postgres: string, count: number, env: NodeJS.ProcessEnv = {}): Promise<Cluster> {
  await ensureBuilt();
  const dir = await mkdtemp(join(tmpdir(), 'docent-cluster-'));
  const schema = await makeSchema(postgres);
  const port = Number(new URL(postgres).port || 5432);
  const networks = await Promise.all(Array.from({ length: count }, () => startTcpProxy(port)));
  const all = (act: (one: TcpProxy) => void) => (): void => networks.forEach(act);
  const start = (at: number, more: NodeJS.ProcessEnv = {}): Promise<Child> => {
    const url = new URL(schema.url);
    [url.hostname, url.port] = ['127.0.0.1', String(networks[at]!.port)];
    const own = { API_KEY, DATABASE_URL: url.href, DATA_DIR: join(dir, String(at)), TRUST_PROXY_HOPS: '1' };
    return startChild({ ...own, ...env, ...more });
  };
  const servers = await Promise.all(Array.from({ length: count }, (_, at) => start(at)));
  return {
    servers,
    database: schema.url,
    networks,
    network: {
      cut: all((one) => one.cut()),
      breakOffAfter: (bytes) => networks.forEach((one) => one.breakOffAfter(bytes)),
      loseReplies: all((one) => one.loseReplies()),
      mend: all((one) => one.mend()),
    },
    async api<T>({ base }: Child, method: string, path: string, body?: object): Promise<T> {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
      const reply = await fetch(`${base}/api/v1${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return JSON.parse(text) as T;
    },
    async start(at) {
      servers[at] = await start(at, { PORT: String(servers[at]!.port) });
    },
    async stop() {
      await Promise.all(servers.map((server) => server.kill()));
      await Promise.all(networks.map((one) => one.close()));
      await schema.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Public, and so that no visitor meets the limit, unless `meta` says otherwise. */
export async function makeChatbot({ api, servers }: Cluster, meta: object = {}): Promise<string> {
  const settings = { name: 'Busy', visibility: 'public', rate_limit: [100, 1], ...meta };
  return (await api<{ uuid: string }>(servers[0]!, 'POST', '/chatbot/create', settings)).uuid;
}
