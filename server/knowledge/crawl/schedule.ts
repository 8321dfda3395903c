import { timestamp, type Clock } from '../../schema/ids.ts';
import { isPending, type Schedule } from '../../schema/records.ts';
import type { Store, StoredChatbot, StoredSource } from '../../store/store.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Log } from '../ingest/ingest.ts';
import type { Sites } from './sites.ts';

/** Fetches the pages of chatbots again every `hours`, where the owner has set a schedule. */
export interface Schedules {
  /** `hours` 1 or more, counted from now, or 0 for never. Undefined where the chatbot is gone. */
  set(chatbot: string, hours: number): Promise<Schedule | undefined>;
  /** Reads stored schedules. Those that came due while no server ran begin after 30 s, one chatbot every 10 s. */
  start(): Promise<void>;
  /** Begins no more fetching; what is under way goes on. */
  close(): Promise<void>;
}

interface ScheduleDeps {
  store: Store;
  knowledge: Pick<Knowledge, 'reingest'>;
  sites: Pick<Sites, 'again'>;
  clock: Clock;
  log: Log;
}

/** Milliseconds between two chatbots: a thousand may be due at once. */
const GAP_MS = 10_000;
/** Milliseconds after a start before the first: visitors who waited for the server come first. */
const START_DELAY_MS = 30_000;
/** Milliseconds. A timer is limited to 24 days, and stands still while the machine sleeps. */
const MAX_TIMER_MS = 10 * 60_000;
/** Milliseconds between two reads of all schedules. */
const READ_MS = 10 * 60_000;
const HOUR = 3_600_000;

export const scheduleOf = ({ schedule }: StoredChatbot): Schedule => schedule ?? { hours: 0, next_at: '' };

export function createSchedules({ store, knowledge, sites, clock, log }: ScheduleDeps): Schedules {
  /** By chatbot, in milliseconds since 1970. */
  const due = new Map<string, number>();
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let reader: NodeJS.Timeout | undefined;
  let busy: Promise<void> | undefined;
  let closed = false;

  const earliest = (): [chatbot: string, at: number] =>
    [...due].reduce((first, one) => (one[1] < first[1] ? one : first), ['', Infinity]);

  function wait(): void {
    clearTimeout(timer);
    if (closed || busy || due.size === 0) return;
    const ms = Math.max(earliest()[1], notBefore) - clock();
    timer = setTimeout(look, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    timer.unref();
  }

  function look(): void {
    const [chatbot, at] = earliest();
    if (Math.max(at, notBefore) <= clock()) {
      notBefore = clock() + GAP_MS;
      busy = begin(chatbot)
        .catch((error: unknown) => log.error({ chatbot, err: error }, 'pages not fetched again'))
        .finally(() => (busy = undefined))
        .then(wait);
    }
    wait();
  }

  async function begin(chatbot: string): Promise<void> {
    // Where the next write fails, it is tried again in an hour and not in a loop.
    due.set(chatbot, clock() + HOUR);
    if (!(await claim(chatbot))) return;
    log.info({ chatbot }, 'pages are fetched again');
    await fetchAgain(chatbot);
  }

  const countedFromNow = (hours: number): Schedule => ({
    hours,
    next_at: hours === 0 ? '' : timestamp(() => clock() + hours * HOUR),
  });

  function note(chatbot: string, changed: StoredChatbot | undefined): void {
    if (changed?.schedule?.next_at) due.set(chatbot, Date.parse(changed.schedule.next_at));
    else due.delete(chatbot);
  }

  /** False where it is not due: another process has begun, or it was changed there. */
  async function claim(chatbot: string): Promise<boolean> {
    let isDue = false;
    const changed = await store.updateChatbot(chatbot, (record) => {
      const { hours, next_at } = scheduleOf(record);
      isDue = next_at !== '' && Date.parse(next_at) <= clock();
      return isDue ? { ...record, schedule: countedFromNow(hours) } : record;
    });
    note(chatbot, changed);
    return isDue && changed !== undefined;
  }

  /** What another process has set is begun here too, where that one has ended. */
  async function read(): Promise<void> {
    for (const { uuid } of await store.users()) {
      for (const chatbot of await store.chatbots(uuid)) {
        const { next_at } = scheduleOf(chatbot);
        const at = Date.parse(next_at);
        // One that is overdue and known is tried again in its time.
        if (next_at !== '' && (at > clock() || !due.has(chatbot.uuid))) due.set(chatbot.uuid, at);
      }
    }
    wait();
  }

  async function fetchAgain(chatbot: string): Promise<void> {
    const crawled = new Set<string>();
    for (const site of await store.sites(chatbot)) {
      // A stopped crawl stays stopped; the pages that it has ingested are fetched again one by one.
      if (closed || site.status === 'stopped') continue;
      await sites.again(site);
      crawled.add(site.uuid);
    }
    const links = (await store.sources(chatbot)).filter(isSettledLink);
    for (const { uuid, site = '' } of links) if (!closed && !crawled.has(site)) await knowledge.reingest(uuid);
  }

  return {
    async set(chatbot, hours) {
      const schedule = countedFromNow(hours);
      const changed = await store.updateChatbot(chatbot, (record) => ({ ...record, schedule }));
      note(chatbot, changed);
      wait();
      return changed?.schedule;
    },
    async start() {
      notBefore = clock() + START_DELAY_MS;
      await read();
      const onError = (error: unknown): void => log.error({ err: error }, 'schedules not read');
      reader = setInterval(() => void read().catch(onError), READ_MS).unref();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(reader);
      await busy;
    },
  };
}

/** A pending source is being fetched already. */
const isSettledLink = ({ type, status }: StoredSource): boolean => type === 'link' && !isPending(status);
