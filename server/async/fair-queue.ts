export interface Job {
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

interface RunningJob extends Job {
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
  readonly #waiting = new Map<string | symbol, Job>();
  /** By owner, then by host, the next in rotation first: thousands of jobs that wait for one host are not searched. */
  readonly #owners = new Map<string, Map<string, Set<Job>>>();
  readonly #running = new Set<RunningJob>();
  #closed = false;

  constructor({ concurrency, perHost = concurrency, onError = () => {} }: FairQueueOptions) {
    this.#concurrency = concurrency;
    this.#perHost = perHost;
    this.#onError = onError;
  }

  /** Does nothing once the queue is closed. */
  add(job: Job): void {
    if (this.#closed) return;
    this.cancel(job.name);
    this.#waiting.set(job.name, job);
    const hosts = this.#owners.get(job.owner) ?? new Map<string, Set<Job>>();
    const jobs = hosts.get(job.host) ?? new Set();
    this.#owners.set(job.owner, hosts.set(job.host, jobs.add(job)));
    this.#startNext();
  }

  /** Resolves when it is this owner's turn, with the function that ends the turn; call that once. */
  acquire(owner: string): Promise<() => void> {
    return new Promise((resolve) => {
      this.add({ name: Symbol(owner), owner, host: '', group: '', run: () => new Promise<void>(resolve) });
    });
  }

  /** Whether a job of this name waits or runs. */
  has(name: string): boolean {
    return this.#waiting.has(name) || [...this.#running].some((job) => job.name === name);
  }

  cancel(name: string | symbol): void {
    this.#remove(name);
    for (const job of this.#running) if (job.name === name) job.abort.abort();
  }

  cancelGroup(group: string): void {
    for (const job of this.#waiting.values()) if (job.group === group) this.#remove(job.name);
    for (const job of this.#running) if (job.group === group) job.abort.abort();
  }

  /** Cancels all jobs; resolves when none runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    this.#owners.clear();
    for (const job of this.#running) job.abort.abort();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  /** Removes a job that waits. */
  #remove(name: string | symbol): void {
    const job = this.#waiting.get(name);
    if (!job) return;
    this.#waiting.delete(name);
    const hosts = this.#owners.get(job.owner)!;
    const jobs = hosts.get(job.host)!;
    jobs.delete(job);
    if (jobs.size === 0) hosts.delete(job.host);
    if (hosts.size === 0) this.#owners.delete(job.owner);
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

  #nextJob(): Job | undefined {
    const running = [...this.#running];
    for (const hosts of this.#owners.values()) {
      for (const [host, jobs] of hosts) {
        if (running.filter((job) => job.host === host).length >= this.#perHost) continue;
        for (const job of jobs) if (!running.some(({ name }) => name === job.name)) return job;
      }
    }
    return undefined;
  }

  #start(job: Job): void {
    const abort = new AbortController();
    const running: RunningJob = { ...job, abort, done: Promise.resolve() };
    this.#running.add(running);
    const end = (): void => {
      this.#running.delete(running);
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
