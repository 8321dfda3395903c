import { setTimeout as wait } from 'node:timers/promises';
import type { FakeModel } from '../server/targets.ts';
import type { Cluster } from './cluster.ts';
import { StatusError, Visitors, type Received, type Visitor } from './visitors.ts';

export interface KilledRow {
  servers: string;
  /** Who asked, one question after another, before, during and after. */
  visitors: number;
  answers: number;
  /** Answers whose connection was lost. */
  cut: number;
  /** Of these: read to their whole end elsewhere; ended as interrupted, as the visitor was told. */
  resumed: number;
  interrupted: number;
  /** Sent again because nothing was known of the question. */
  asked_again: number;
  /** Answers that a visitor did not get, and was not told the end of. */
  errors: number;
  /** Seconds after the kill until the last answer had ended that it hit. */
  well_after_s: number;
}

/** Milliseconds that a visitor tries to reach a server. */
const PATIENCE_MS = 40_000;
const RETRY_MS = 100;

/**
 * Visitors ask all the time, and the last process is killed in the middle. A single one is started again at once, as systemd does; of
 * several it stays away.
 */
export async function killOne(
  model: FakeModel,
  cluster: Cluster,
  { visitors: count, seconds }: { visitors: number; seconds: number },
): Promise<KilledRow> {
  await model.control({ mode: 'timed', pace: 20 });
  const victim = cluster.processes - 1;
  const visitors = new Visitors(cluster, true);
  const row = { answers: 0, cut: 0, resumed: 0, interrupted: 0, asked_again: 0, errors: 0 };
  let [killedAt, wellAt] = [Infinity, 0];
  const over = new AbortController();
  let down: number | undefined;

  const askOnce = async (visitor: Visitor): Promise<void> => {
    const received = visitors.begin(visitor);
    const startedAt = performance.now();
    let isHit = false;
    for (const end = startedAt + PATIENCE_MS; performance.now() < end; await wait(RETRY_MS)) {
      const to = nextOf(cluster, down);
      try {
        await (received.message ? visitors.resume(visitor, received, to) : visitors.send(visitor, received, to));
        break;
      } catch (error) {
        if (isRefused(error) && cluster.processes > 1) down = to;
        isHit ||= !isRefused(error);
        if (error instanceof StatusError && error.status === 404) forget(received, row);
      }
    }
    row.answers += 1;
    if (!received.done) return void (row.errors += 1);
    visitors.accept(visitor, received, { isKilled: isHit });
    if (!isHit && startedAt > killedAt) return;
    const isInterrupted = received.done.finish_reason === 'interrupted';
    if (isHit) row.cut += 1;
    if (isHit) row[isInterrupted ? 'interrupted' : 'resumed'] += 1;
    if (isHit || startedAt <= killedAt) wellAt = Math.max(wellAt, performance.now());
  };

  const work = async (): Promise<void> => {
    while (!over.signal.aborted) await askOnce(visitors.next());
  };
  const working = Array.from({ length: count }, work);
  await wait(seconds * 500);
  killedAt = performance.now();
  await cluster.kill(victim);
  if (cluster.processes === 1) await cluster.restart(victim);
  await wait(seconds * 500);
  over.abort();
  await Promise.all(working);
  if (cluster.processes > 1) await cluster.restart(victim);
  await visitors.check();
  return { servers: cluster.name, visitors: count, ...row, well_after_s: (wellAt - killedAt) / 1000 };
}

/** As a load balancer does that has seen that a server refuses. */
function nextOf(cluster: Cluster, without: number | undefined): number {
  for (;;) {
    const port = cluster.next();
    if (port !== without) return port;
  }
}

const isRefused = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';

/** A message that was not stored: the widget sends the question again. */
function forget(received: Received, row: { asked_again: number }): void {
  row.asked_again += 1;
  Object.assign(received, { message: undefined, text: '', offset: '' });
}
