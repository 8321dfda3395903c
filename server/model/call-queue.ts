/** A call that waits for its turn, or has it. */
export interface QueuedCall {
  /** Owners take turns. */
  readonly owner: string;
  /** Nobody waits for its result: it starts after all others. */
  readonly isBackground: boolean;
  /** An answer under way goes on with it: it starts before all others, waits as long as it has to, and is not refused. */
  readonly isContinued: boolean;
  /** It is its turn now. */
  start(): void;
  /** It will have no turn, or no more of it: too many wait, it waited for too long, or an answer needs its place. */
  refuse(): void;
}

interface CallQueueOptions {
  /** Calls under way at a time. */
  concurrency: number;
  /** Calls that wait; four times as many by default. */
  maxWaiting?: number;
  /** Milliseconds that a call waits at most; 10,000 by default: a visitor had rather read quotes. */
  maxWait?: number;
}

type Owners = Map<string, QueuedCall[]>;

/**
 * Bounds the calls under way; those that wait start owner by owner in rotation. Where too many wait, the newest call of the
 * owner that has most of them makes room. (`FairQueue` knows no bound and searches all that runs for each start.)
 */
export class CallQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #maxWait: number;
  #running = 0;
  /** Of those under way, the calls that give up their place to one that somebody waits for; the oldest first. */
  readonly #yielding = new Set<QueuedCall>();
  /** Those that go on, those that somebody waits for, and the others; of each the owner whose turn is next comes first. */
  readonly #owners: [Owners, Owners, Owners] = [new Map(), new Map(), new Map()];
  readonly #waiting = new Map<QueuedCall, NodeJS.Timeout | undefined>();

  constructor({ concurrency, maxWaiting = concurrency * 4, maxWait = 10_000 }: CallQueueOptions) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
    this.#maxWait = maxWait;
  }

  /** Starts the call now or later, or refuses it. */
  enter(call: QueuedCall): void {
    if (this.#running < this.#concurrency) return this.#start(call);
    const [yielding] = this.#yielding;
    if (yielding && !call.isBackground) {
      // It leaves later, and counts no more from now on.
      this.#yielding.delete(yielding);
      this.#start(call);
      return yielding.refuse();
    }
    const hasRoom = call.isContinued || this.#waiting.size < this.#maxWaiting || this.#makeRoom(call);
    if (!hasRoom) return call.refuse();
    const owners = this.#ownersOf(call);
    owners.set(call.owner, [...(owners.get(call.owner) ?? []), call]);
    const expire = (): void => {
      this.#remove(call);
      call.refuse();
    };
    this.#waiting.set(call, call.isContinued ? undefined : setTimeout(expire, this.#maxWait));
  }

  /** To be called once for each call that was not refused: it has ended, or waits no more. */
  leave(call: QueuedCall): void {
    if (this.#waiting.has(call)) return this.#remove(call);
    this.#running -= 1;
    this.#yielding.delete(call);
    if (this.#running >= this.#concurrency) return;
    const next = this.#next();
    if (!next) return;
    const owners = this.#ownersOf(next);
    this.#remove(next);
    const rest = owners.get(next.owner);
    // The others have their turn first.
    if (rest && owners.delete(next.owner)) owners.set(next.owner, rest);
    this.#start(next);
  }

  #start(call: QueuedCall): void {
    this.#running += 1;
    if (call.isBackground) this.#yielding.add(call);
    call.start();
  }

  #next(): QueuedCall | undefined {
    for (const owners of this.#owners) for (const calls of owners.values()) return calls[0];
    return undefined;
  }

  /** Refuses a call that has less right to wait than the new one; false where there is none. */
  #makeRoom(call: QueuedCall): boolean {
    const { owner, isBackground } = call;
    const [, visible, background] = this.#owners;
    const greediest = mostWaiting(background) ?? (isBackground ? undefined : mostWaiting(visible));
    if (!greediest) return false;
    const isSameClass = greediest[0]!.isBackground === isBackground;
    const own = this.#ownersOf(call).get(owner)?.length ?? 0;
    if (isSameClass && greediest.length <= own + 1) return false;
    const newest = greediest.at(-1)!;
    this.#remove(newest);
    newest.refuse();
    return true;
  }

  #remove(call: QueuedCall): void {
    clearTimeout(this.#waiting.get(call));
    this.#waiting.delete(call);
    const owners = this.#ownersOf(call);
    const rest = owners.get(call.owner)!.filter((one) => one !== call);
    if (rest.length > 0) owners.set(call.owner, rest);
    else owners.delete(call.owner);
  }

  #ownersOf({ isBackground, isContinued }: QueuedCall): Owners {
    return this.#owners[isContinued ? 0 : isBackground ? 2 : 1];
  }
}

function mostWaiting(owners: Owners): QueuedCall[] | undefined {
  let most: QueuedCall[] | undefined;
  for (const calls of owners.values()) if (calls.length > (most?.length ?? 0)) most = calls;
  return most;
}
