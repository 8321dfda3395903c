import { timestamp, type Clock } from '../../schema/ids.ts';
import { isPending, type Schedule } from '../../schema/records.ts';
import type { Store, StoredChatbot, StoredSource } from '../../store/store.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Log } from '../ingest/ingest.ts';
import type { Sites } from './sites.ts';

/** Fetches the pages of chatbots again, every so many hours; for a chatbot that says nothing, never. */
export interface Schedules {
  /** `hours` 1 or more, counted from now, or 0 for never. Undefined where the chatbot is gone. */
  set(chatbot: string, hours: number): Promise<Schedule | undefined>;
  /** Takes up what the store knows. What came due while no server ran is soon begun, one chatbot after another. */
  start(): Promise<void>;
  /** Begins nothing more. What is being learned is not this room's to end. */
  close(): Promise<void>;
}

export interface ScheduleRooms {
  store: Store;
  knowledge: Pick<Knowledge, 'relearn'>;
  sites: Pick<Sites, 'again'>;
  clock: Clock;
  log: Log;
}

/** Milliseconds between one chatbot's beginning and the next one's: a thousand that are due do not come at once. */
const GAP = 10_000;
/** After a start, before the first: visitors who waited for the server come first. */
const CALM = 30_000;
/** A timer holds 24 days at most, and does not notice that a machine has slept. */
const LONGEST = 10 * 60_000;
const HOUR = 3_600_000;

export const scheduleOf = ({ schedule }: StoredChatbot): Schedule => schedule ?? { hours: 0, next_at: '' };

export function createSchedules({ store, knowledge, sites, clock, log }: ScheduleRooms): Schedules {
  /** When each chatbot is due, in milliseconds. */
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
    timer = setTimeout(look, Math.min(Math.max(ms, 0), LONGEST));
    timer.unref();
  }

  function look(): void {
    const [chatbot, at] = earliest();
    if (Math.max(at, notBefore) <= clock()) {
      notBefore = clock() + GAP;
      busy = begin(chatbot)
        .catch((error: unknown) => log.error({ chatbot, err: error }, 'pages not fetched again'))
        .finally(() => (busy = undefined))
        .then(wait);
    }
    wait();
  }

  async function begin(chatbot: string): Promise<void> {
    // Where the disk refuses what follows, it is tried again then, and not at once and for ever.
    due.set(chatbot, clock() + HOUR);
    const { hours } = (await put(chatbot, (before) => before.hours)) ?? { hours: 0 };
    if (hours === 0) return;
    log.info({ chatbot }, 'pages are fetched again');
    await fetchAgain(chatbot);
  }

  /** Counts from now. */
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
      // What its owner stopped is not crawled on; its pages are fetched again as any others.
      if (closed || site.status === 'stopped') continue;
      await sites.again(site);
      crawled.add(site.uuid);
    }
    const links = (await store.sources(chatbot)).filter(isSettledLink);
    for (const { uuid, site = '' } of links) if (!closed && !crawled.has(site)) await knowledge.relearn(uuid);
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
      notBefore = clock() + CALM;
      wait();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await busy;
    },
  };
}

/** What is being learned just now is left to that. */
const isSettledLink = ({ type, status }: StoredSource): boolean => type === 'link' && !isPending(status);
