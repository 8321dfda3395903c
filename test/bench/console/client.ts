import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startProcess, type ChildServer } from '../server/processes.ts';
import { ENV, KEY, MAIN } from '../server/targets.ts';

/** A server that says how long its event loop is delayed, and requests to it as its console makes them. */
export interface Measured extends ChildServer {
  get(path: string): Promise<Got>;
  post(path: string, body: object): Promise<Got>;
  headers: Record<string, string>;
  /** The longest delay of its event loop since the last call, in ms. */
  loopDelay(): Promise<number>;
}

export interface Got {
  ms: number;
  text: string;
  /** The address of the next page; '' behind the last. */
  next: string;
}

export async function startMeasured(env: NodeJS.ProcessEnv): Promise<Measured> {
  const delayPort = await freePort();
  const preload = join('test', 'bench', 'console', 'loop-delay.mjs');
  const child = await startProcess(['--import', `./${preload}`, MAIN], {
    ...ENV,
    ...env,
    LOOP_DELAY_PORT: String(delayPort),
  });
  const base = `http://127.0.0.1:${child.port}`;
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}): Promise<Got> => {
    const start = performance.now();
    const reply = await fetch(`${base}${path}`, { ...init, headers });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
    const next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1] ?? '';
    return { ms: performance.now() - start, text, next };
  };
  return {
    ...child,
    headers,
    get: (path) => call(path),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    loopDelay: async () => Number(await (await fetch(`http://127.0.0.1:${delayPort}`)).text()),
  };
}

/** Asks as visitors do, one question after another with a pause between, until it is stopped; tells their times to the first text. */
export function visitorsOf(server: Measured, chatbot: string): { stop(): Promise<number[]> } {
  const times: number[] = [];
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      const start = performance.now();
      const reply = await fetch(`http://127.0.0.1:${server.port}/chat/${chatbot}/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.1.${count >> 8}.${count & 255}` },
        body: JSON.stringify({ query: 'How long is the warranty?' }),
      });
      const text = await reply.text();
      if (!text.includes('"finish_reason":"stop"')) throw new Error(`no answer: ${text.slice(-300)}`);
      times.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // What fails is told by `stop`: the server may have ended because another measure failed.
  const working = work().catch((error: unknown) => error as Error);
  return {
    async stop() {
      stopping.abort();
      const error = await working;
      if (error) throw error;
      return times;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
