interface Job {
  /** Jobs of one name never run at the same time: a second one replaces the first, and starts when that has ended. */
  name: string | symbol;
  /** Owners take turns, however many jobs each of them has. */
  owner: string;
  /** The hosts of one owner take turns, too. */
  host: string;
  /** For `cancelGroup`. */
  group: string;
  run(signal: AbortSignal): Promise<void>;
}

interface WaitingJob extends Job {
  /** Resolves what `add` returned. */
  leave(): void;
}

interface RunningJob extends WaitingJob {
  abort: AbortController;
  done: Promise<void>;
}

interface FairQueueOptions {
  /** Jobs that run at the same time. */
  concurrency: number;
  /** Of these, jobs of one host; `concurrency` by default. */
  perHost?: number;
  /** Called with the error of a job that rejects; ignored by default. */
  onError?: (error: unknown) => void;
}

/** Runs jobs with bounded concurrency, owners in rotation: one with a thousand jobs does not delay another's first. */
export class FairQueue {
  readonly #concurrency: number;
  readonly #perHost: number;
  readonly #onError: (error: unknown) => void;
  /** By name. */
  readonly #waiting = new Map<string | symbol, WaitingJob>();
  /** By owner, then by host, the next in rotation first: thousands of jobs that wait for one host are not searched. */
  readonly #owners = new Map<string, Map<string, Set<WaitingJob>>>();
  readonly #running = new Set<RunningJob>();
  #closed = false;

  constructor({ concurrency, perHost = concurrency, onError = () => {} }: FairQueueOptions) {
    this.#concurrency = concurrency;
    this.#perHost = perHost;
    this.#onError = onError;
  }

  /** Resolves when the job has ended, or was cancelled before it started. Does nothing once the queue is closed. */
  add(job: Job): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.cancel(job.name);
    return new Promise((leave) => {
      const waiting = { ...job, leave };
      this.#waiting.set(job.name, waiting);
      const hosts = this.#owners.get(job.owner) ?? new Map<string, Set<WaitingJob>>();
      const jobs = hosts.get(job.host) ?? new Set();
      this.#owners.set(job.owner, hosts.set(job.host, jobs.add(waiting)));
      this.#startNext();
    });
  }

  /** Resolves when it is this owner's turn, with the function that ends the turn; call that once. */
  acquire(owner: string): Promise<() => void> {
    return new Promise((resolve) => {
      void this.add({ name: Symbol(owner), owner, host: '', group: '', run: () => new Promise<void>(resolve) });
    });
  }

  /** Whether a job of this name waits or runs. */
  has(name: string): boolean {
    return this.#waiting.has(name) || [...this.#running].some((job) => job.name === name);
  }

  /** Whether a job of this group waits or runs. */
  hasGroup(group: string): boolean {
    for (const job of this.#running) if (job.group === group) return true;
    for (const job of this.#waiting.values()) if (job.group === group) return true;
    return false;
  }

  cancel(name: string | symbol): void {
    this.#remove(name)?.leave();
    for (const job of this.#running) if (job.name === name) job.abort.abort();
  }

  cancelGroup(group: string): void {
    for (const job of this.#waiting.values()) if (job.group === group) this.#remove(job.name)?.leave();
    for (const job of this.#running) if (job.group === group) job.abort.abort();
  }

  /** Cancels all jobs; resolves when none runs. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.values()) job.leave();
    this.#waiting.clear();
    this.#owners.clear();
    for (const job of this.#running) job.abort.abort();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  /** Removes a job that waits, and returns it; undefined where none of this name does. */
  #remove(name: string | symbol): WaitingJob | undefined {
    const job = this.#waiting.get(name);
    if (!job) return undefined;
    this.#waiting.delete(name);
    const hosts = this.#owners.get(job.owner)!;
    const jobs = hosts.get(job.host)!;
    jobs.delete(job);
    if (jobs.size === 0) hosts.delete(job.host);
    if (hosts.size === 0) this.#owners.delete(job.owner);
    return job;
  }

  #startNext(): void {
    while (this.#running.size < this.#concurrency) {
      const job = this.#nextJob();
      if (!job) return;
      this.#remove(job.name);
      const hosts = this.#owners.get(job.owner);
      if (hosts) moveToEnd(hosts, job.host);
      moveToEnd(this.#owners, job.owner);
      this.#start(job);
    }
  }

  #nextJob(): WaitingJob | undefined {
    const running = [...this.#running];
    for (const hosts of this.#owners.values()) {
      for (const [host, jobs] of hosts) {
        if (running.filter((job) => job.host === host).length >= this.#perHost) continue;
        for (const job of jobs) if (!running.some(({ name }) => name === job.name)) return job;
      }
    }
    return undefined;
  }

  #start(job: WaitingJob): void {
    const abort = new AbortController();
    const running: RunningJob = { ...job, abort, done: Promise.resolve() };
    this.#running.add(running);
    const end = (): void => {
      this.#running.delete(running);
      job.leave();
      this.#startNext();
    };
    running.done = job.run(abort.signal).catch(this.#onError).then(end);
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
