import { Agent, get } from 'node:http';
import { median } from '../server/processes.ts';
import type { FakeModel } from '../server/targets.ts';
import type { Cluster, Database } from './cluster.ts';
import { Visitors, type Times } from './visitors.ts';

/** What a load on a cluster has cost. */
export interface Load {
  /** Of what the load does, a second. */
  rate: number;
  /** Milliseconds from the question to the first byte and to the first text, p50 and p99; NaN where nothing is asked. */
  byte: number;
  byte99: number;
  text: number;
  /** Milliseconds of CPU for each: of the servers, of PostgreSQL, of the bench itself. */
  ours: number;
  database: number;
  generator: number;
}

export type Measured = Map<Cluster, Load[]>;

// Idle connections end before the server ends them, or a request could be sent on one that is being closed.
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity, timeout: 2000 });

/** `count` in all, so many of them at a time. */
export async function times<T>(count: number, atOnce: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) results.push(await act());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Does it `count` times on each cluster in turn, round after round, so that a slow moment of the machine hits all of them. */
export async function alternate(
  clusters: Cluster[],
  rounds: number,
  database: Database,
  measure: (cluster: Cluster) => Promise<(Times | undefined)[]>,
): Promise<Measured> {
  const measured: Measured = new Map(clusters.map((cluster) => [cluster, []]));
  for (let round = 0; round < rounds; round++) {
    for (const cluster of clusters) {
      const [ours, base, own, start] = [cluster.cpu(), database.cpu(), process.cpuUsage(), performance.now()];
      const done = await measure(cluster);
      const seconds = (performance.now() - start) / 1000;
      const generator = process.cpuUsage(own);
      const asked = done.filter((one) => one !== undefined);
      measured.get(cluster)!.push({
        rate: done.length / seconds,
        byte: median(asked.map(({ byte }) => byte)),
        byte99: quantile(
          asked.map(({ byte }) => byte),
          0.99,
        ),
        text: median(asked.map(({ text }) => text)),
        ours: (cluster.cpu() - ours) / done.length,
        database: (database.cpu() - base) / done.length,
        generator: (generator.user + generator.system) / 1000 / done.length,
      });
    }
  }
  return measured;
}

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;

/** The medians of the rounds. */
export function middle(measured: Measured, cluster: Cluster): Load {
  const loads = measured.get(cluster)!;
  const of = (name: keyof Load): number => median(loads.map((load) => load[name]));
  return {
    rate: of('rate'),
    byte: of('byte'),
    byte99: of('byte99'),
    text: of('text'),
    ours: of('ours'),
    database: of('database'),
    generator: of('generator'),
  };
}

/** What a browser fetches before a visitor asks: launcher, settings of the chatbot, panel. Checks their bytes. */
export async function loadWidget(cluster: Cluster): Promise<undefined> {
  const launcher = await fetchText(cluster, '/embed.js');
  const [panel] = /embed\/panel-[\w-]{8}\.js/.exec(launcher) ?? [];
  const profile = JSON.parse(await fetchText(cluster, `/chat/${cluster.chatbot}`)) as { uuid: string };
  if (profile.uuid !== cluster.chatbot) throw new Error(`the settings of another chatbot: ${profile.uuid}`);
  if (!(await fetchText(cluster, `/${panel}`)).includes('docent')) throw new Error(`no panel: ${panel}`);
}

function fetchText(cluster: Cluster, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ agent, port: cluster.next(), host: '127.0.0.1', path }, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece: string) => (text += piece));
      reply.on('error', reject);
      reply.on('end', () => (reply.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${text}`))));
    }).on('error', reject);
  });
}

/** Opens so many answers that the model does not go on with, and then ends them. Gives how many were whole. */
export async function holdStreams(model: FakeModel, cluster: Cluster, count: number): Promise<number> {
  await model.control({ mode: 'held' });
  const visitors = new Visitors(cluster, true);
  const answers = times(count, count, () => visitors.ask());
  for (let tries = 0; tries < 600 && (await model.count()).open < count; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { open } = await model.count();
  if (open !== count) throw new Error(`${open} of ${count} streams were open`);
  await model.control({ mode: 'timed', release: true });
  const { length } = await answers;
  await visitors.check();
  return length;
}
