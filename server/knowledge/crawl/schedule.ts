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
const HOUR = 3_600_000;

export const scheduleOf = ({ schedule }: StoredChatbot): Schedule => schedule ?? { hours: 0, next_at: '' };

export function createSchedules({ store, knowledge, sites, clock, log }: ScheduleDeps): Schedules {
  /** By chatbot, in milliseconds since 1970. */
  const due = new Map<string, number>();
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
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
    const { hours } = (await put(chatbot, (before) => before.hours)) ?? { hours: 0 };
    if (hours === 0) return;
    log.info({ chatbot }, 'pages are fetched again');
    await fetchAgain(chatbot);
  }

  /** Stores the schedule, counted from now. */
  async function put(chatbot: string, hoursFrom: (before: Schedule) => number): Promise<Schedule | undefined> {
    const changed = await store.updateChatbot(chatbot, (record) => {
      const hours = hoursFrom(scheduleOf(record));
      const schedule = { hours, next_at: hours === 0 ? '' : timestamp(() => clock() + hours * HOUR) };
      return { ...record, schedule };
    });
    if (changed?.schedule?.next_at) due.set(chatbot, Date.parse(changed.schedule.next_at));
    else due.delete(chatbot);
    return changed?.schedule;
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
      const schedule = await put(chatbot, () => hours);
      wait();
      return schedule;
    },
    async start() {
      for (const { uuid } of await store.users()) {
        for (const chatbot of await store.chatbots(uuid)) {
          const { next_at } = scheduleOf(chatbot);
          if (next_at !== '') due.set(chatbot.uuid, Date.parse(next_at));
        }
      }
      notBefore = clock() + START_DELAY_MS;
      wait();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await busy;
    },
  };
}

/** A pending source is being fetched already. */
const isSettledLink = ({ type, status }: StoredSource): boolean => type === 'link' && !isPending(status);
