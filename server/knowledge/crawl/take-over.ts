import { Refusal } from '../../schema/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../ingest/ingest.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Sites } from './sites.ts';

interface TakeOverDeps {
  store: Store;
  resume: Sites['resume'];
  knowledge: Pick<Knowledge, 'ingest'>;
  log: Log;
}

/** Milliseconds between two looks for what a process has left that is gone. */
const LOOK_MS = 2000;

/** Goes on with the crawls and sources that are unfinished and that no process has: first of all now, then of processes that end. */
export async function startTakeOver({
  store,
  resume,
  knowledge,
  log,
}: TakeOverDeps): Promise<{ close(): Promise<void> }> {
  const { learners } = store;

  async function look(): Promise<void> {
    const crawled = await resume();
    // Another process may have taken the site.
    const isCrawled = async (site: string) =>
      crawled.has(site) || (learners && site !== '' && (await store.site(site))?.status === 'running');
    const unfinished = await (learners ? learners.takeUnfinished() : store.unfinishedSources());
    for (const source of unfinished) if (!(await isCrawled(source.site ?? ''))) await knowledge.ingest(source);
  }

  let looking = look();
  await looking;
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => {
          // The store has logged that it is away.
          if (!(error instanceof Refusal)) log.error({ err: error }, 'what another process has left is not taken over');
        })
        .then(() => timer && next());
    }, LOOK_MS).unref();
  };
  if (learners) next();
  return {
    close() {
      clearTimeout(timer);
      timer = undefined;
      return looking;
    },
  };
}
