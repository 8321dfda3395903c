import type { ChatEvent } from '../server/types.ts';
import { Failure, type Client, type Question } from './client.ts';

export interface Known {
  session?: string | undefined;
  message?: string | undefined;
  /** Length of the answer that is already there. */
  from: number;
}

/** A door's event, or `cut`: the connection is gone and another is being tried. */
export type FollowEvent = ChatEvent | { event: 'cut' };

/** Connections in a row that brought no new text before the answer counts as failed. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const OFFLINE_WAIT_MS = 30_000;

const isOffline = (): boolean => globalThis.navigator?.onLine === false;

/** Back-off with jitter; the network's return ends it at once. */
function pause(tries: number, signal: AbortSignal): Promise<void> {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
  const wait = isOffline() ? OFFLINE_WAIT_MS : most * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      removeEventListener('online', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, wait);
    addEventListener('online', go);
    signal.addEventListener('abort', go);
    if (signal.aborted) go();
  });
}

/** The part of a piece that is not there yet; undefined when something between is missing. */
function fresh(event: { id: number; data: { text: string } }, have: number): string | undefined {
  const start = event.id - event.data.text.length;
  return start > have ? undefined : event.data.text.slice(have - start);
}

const isPassing = (fault: unknown, resuming: boolean): boolean =>
  fault instanceof Failure && (fault.code === 'network' || (resuming && fault.status >= 500));

/**
 * One answer to its end, through any number of cut connections, each character once. While the message is unknown
 * the very same question is sent again: its `id` makes that one message. Throws a `Failure` when it gives up.
 */
export async function* follow(
  client: Client,
  question: Question,
  known: Known,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  let { session = question.session, message, from: have } = known;
  for (let tries = 0; ; tries++) {
    const resuming = session !== undefined && message !== undefined;
    try {
      const events = resuming ? client.resume(session!, message!, have, signal) : client.ask(question, signal);
      for await (const event of events) {
        if (event.event === 'delta') {
          const text = fresh(event, have);
          if (text === undefined) break;
          if (text) tries = 0;
          have += text.length;
          if (text) yield { ...event, data: { text } };
          continue;
        }
        if (event.event === 'session') session = event.data.uuid;
        if (event.event === 'message') message = event.data.uuid;
        yield event;
        if (event.event === 'done' || event.event === 'error') return;
      }
    } catch (fault) {
      if (signal.aborted) return;
      if (!isPassing(fault, resuming)) throw fault;
    }
    if (signal.aborted) return;
    if (tries >= MOST_TRIES) throw new Failure('network');
    yield { event: 'cut' };
    if (isOffline()) tries = 0;
    await pause(tries, signal);
    if (signal.aborted) return;
  }
}
