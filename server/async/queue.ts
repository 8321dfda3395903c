export interface Job {
  /** Jobs of one name never run at the same time: a second replaces the first, once that has ended. */
  name: string;
  /** Owners take turns, however many jobs each of them has. */
  owner: string;
  /** The hosts of one owner take turns, too. */
  host: string;
  /** What is cancelled together. */
  group: string;
  run(signal: AbortSignal): Promise<void>;
}

interface Running extends Job {
  abort: AbortController;
  done: Promise<void>;
}

type Line = Set<Job>;

/** Runs jobs a few at a time, and fewer for one host. */
export class Queue {
  readonly #most: number;
  readonly #mostPerHost: number;
  readonly #failed: (error: unknown) => void;
  /** By name. */
  readonly #waiting = new Map<string, Job>();
  /** By owner, then by host, the next to have a turn first: thousands that wait for one host are not looked through. */
  readonly #lines = new Map<string, Map<string, Line>>();
  readonly #running = new Set<Running>();
  #closed = false;

  /** `failed`: hears what a job rejects with. */
  constructor(most: number, mostPerHost: number, failed: (error: unknown) => void) {
    this.#failed = failed;
    this.#most = most;
    this.#mostPerHost = mostPerHost;
  }

  add(job: Job): void {
    if (this.#closed) return;
    this.cancel(job.name);
    this.#waiting.set(job.name, job);
    const hosts = this.#lines.get(job.owner) ?? new Map<string, Line>();
    const line = hosts.get(job.host) ?? new Set();
    this.#lines.set(job.owner, hosts.set(job.host, line.add(job)));
    this.#next();
  }

  /** Whether a job of this name waits or runs. */
  has(name: string): boolean {
    return this.#waiting.has(name) || [...this.#running].some((job) => job.name === name);
  }

  cancel(name: string): void {
    this.#leave(name);
    for (const job of this.#running) if (job.name === name) job.abort.abort();
  }

  cancelGroup(group: string): void {
    for (const job of this.#waiting.values()) if (job.group === group) this.#leave(job.name);
    for (const job of this.#running) if (job.group === group) job.abort.abort();
  }

  /** Cancels everything and waits until nothing runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    this.#lines.clear();
    for (const job of this.#running) job.abort.abort();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  /** Takes a job out of its line. */
  #leave(name: string): void {
    const job = this.#waiting.get(name);
    if (!job) return;
    this.#waiting.delete(name);
    const hosts = this.#lines.get(job.owner)!;
    const line = hosts.get(job.host)!;
    line.delete(job);
    if (line.size === 0) hosts.delete(job.host);
    if (hosts.size === 0) this.#lines.delete(job.owner);
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const job = this.#ready();
      if (!job) return;
      this.#leave(job.name);
      const hosts = this.#lines.get(job.owner);
      if (hosts) moveToEnd(hosts, job.host);
      moveToEnd(this.#lines, job.owner);
      this.#start(job);
    }
  }

  #ready(): Job | undefined {
    const running = [...this.#running];
    for (const hosts of this.#lines.values()) {
      for (const [host, line] of hosts) {
        if (running.filter((job) => job.host === host).length >= this.#mostPerHost) continue;
        for (const job of line) if (!running.some(({ name }) => name === job.name)) return job;
      }
    }
    return undefined;
  }

  #start(job: Job): void {
    const abort = new AbortController();
    const running: Running = { ...job, abort, done: Promise.resolve() };
    this.#running.add(running);
    const end = (): void => {
      this.#running.delete(running);
      this.#next();
    };
    running.done = job.run(abort.signal).catch(this.#failed).then(end);
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
