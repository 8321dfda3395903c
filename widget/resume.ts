import type { ChatEvent } from '../server/types.ts';
import { Failure, isOffline, type Client, type Question } from './client.ts';

/** What is there of an answer; kept up to date while it is followed, so that it can be taken up again. */
export interface Known {
  session?: string | undefined;
  message?: string | undefined;
  /** The length of its text, in UTF-16 units. */
  from: number;
}

/** A door's event, or `cut`: the connection is gone and another is being tried. */
export type FollowEvent = ChatEvent | { event: 'cut'; data?: undefined };

/** Connections in a row that brought no new text before the answer counts as failed. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const OFFLINE_WAIT_MS = 30_000;

/** Back-off with jitter; the network's return ends it at once. */
function pause(tries: number, signal: AbortSignal): Promise<void> {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, isOffline() ? OFFLINE_WAIT_MS : most * (0.5 + Math.random() / 2));
    addEventListener('online', go);
    signal.onabort = go;
    if (signal.aborted) go();
  });
}

const isPassing = ({ code, status }: Partial<Failure>, isResumed: boolean): boolean =>
  code === 'network' || (isResumed && status! >= 500);

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
  for (let tries = 0; !signal.aborted; tries++) {
    const { session, message } = known;
    try {
      const events =
        session && message
          ? client.resume(session, message, known.from, signal)
          : client.ask({ ...question, isOut: undefined, at: undefined }, signal);
      for await (const event of events) {
        if (event.event === 'delta') {
          const start = event.id - event.data.text.length;
          // Something between is missing: that is a cut too.
          if (start > known.from) break;
          const text = event.data.text.slice(known.from - start);
          if (!text) continue;
          tries = 0;
          known.from += text.length;
          yield { ...event, data: { text } };
        } else {
          if (event.event === 'session') known.session = event.data.uuid;
          if (event.event === 'message') {
            known.session ??= question.session;
            known.message = event.data.uuid;
          }
          yield event;
          if (event.event === 'done' || event.event === 'error') return;
        }
      }
    } catch (fault) {
      if (!isPassing(fault as Failure, !!message)) throw fault;
    }
    if (tries >= MOST_TRIES) throw new Failure('network');
    yield { event: 'cut' };
    if (isOffline()) tries = 0;
    await pause(tries, signal);
  }
}
