import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { Row } from './server/measures.ts';
import { median, startProcess } from './server/processes.ts';
import { ENV, MAIN } from './server/targets.ts';

/** In seconds. */
interface Spent {
  wall: number;
  cpu: number;
}

const CONVERSATIONS = 500;
const [MAX_SECONDS, ROUNDS] = [2, 3];
const FLOOR = join('test', 'bench', 'server', 'talk-floor.mjs');
/** Writes the CPU time of a process to its standard error as it ends; a module in an address, for `--import`. */
const TELL_CPU = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();console.error('cpu:'+(user+system))})`;

/**
 * `docent test` with 500 conversations, those of the demo over and over, without a model and with no server running. Beside it a
 * process that reads the same file and sends each question to a bare server in itself. CPU time is that of all threads.
 */
export async function bench(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  try {
    const env = { ...process.env, ...ENV, DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'warn' };
    await learnDemo(env);
    const file = join(dir, 'conversations.yaml');
    await writeFile(file, await many(join('demo', 'conversations.yaml')));
    const [held, floor]: [Spent[], Spent[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`conversations: round ${round + 1} of ${ROUNDS}`);
      floor.push(await run([FLOOR, file], env));
      held.push(await run([MAIN, 'test', file], env));
    }
    return (['wall', 'cpu'] as const).map((kind) => {
      const [server, least] = [held, floor].map((some) => median(some.map((one) => one[kind]))) as [number, number];
      const isGoal = kind === 'wall';
      return {
        measure: `docent test, ${CONVERSATIONS} conversations, ${isGoal ? 's' : 'CPU s'}`,
        server,
        floor: least,
        ratio: server / least,
        goal: isGoal ? `< ${MAX_SECONDS} s` : '',
        met: !isGoal || server < MAX_SECONDS ? 'yes' : 'no',
      };
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function learnDemo(env: NodeJS.ProcessEnv): Promise<void> {
  const server = await startProcess([MAIN], { ...env, DEMO: '1', LOG_LEVEL: 'info' });
  const get = async (path: string): Promise<{ uuid: string; status: string }[]> => {
    const headers = { authorization: `Bearer ${ENV.API_KEY}` };
    const reply = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, { headers });
    return reply.json() as Promise<{ uuid: string; status: string }[]>;
  };
  try {
    for (let tries = 0; tries < 600; tries++) {
      const [chatbot] = await get('/chatbots');
      const sources = chatbot ? await get(`/chatbot/${chatbot.uuid}/data-sources`) : [];
      if (sources.length > 0 && sources.every(({ status }) => status === 'success')) return;
      await wait(100);
    }
    throw new Error('the demo was not learned');
  } finally {
    await server.end();
  }
}

async function many(path: string): Promise<string> {
  const { chatbot, conversations } = parse(await readFile(path, 'utf8')) as {
    chatbot: string;
    conversations: { name: string }[];
  };
  const all = Array.from({ length: CONVERSATIONS }, (_, at) => {
    const one = conversations[at % conversations.length]!;
    return { ...one, name: `${one.name} ${at}` };
  });
  return stringify({ chatbot, conversations: all }, { aliasDuplicateObjects: false });
}

/** Rejects where the process does not exit with 0: a bench of conversations that fail tells nothing. */
function run(args: string[], env: NodeJS.ProcessEnv): Promise<Spent> {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', TELL_CPU, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  return new Promise((done, fail) => {
    child.once('close', (code) => {
      const cpu = Number(/cpu:(\d+)/.exec(said)?.[1]);
      if (code !== 0) fail(new Error(`${args.join(' ')} ended with ${code}: ${said.slice(-2000)}`));
      else done({ wall: (performance.now() - start) / 1000, cpu: cpu / 1e6 });
    });
  });
}
