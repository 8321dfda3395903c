/** Runs jobs a few at a time, and fewer for one host. */
export interface Job {
  /** Jobs of one name never run at the same time: a second replaces the first, once that has ended. */
  name: string;
  host: string;
  /** What is cancelled together. */
  group: string;
  run(signal: AbortSignal): Promise<void>;
}

interface Running extends Job {
  abort: AbortController;
  done: Promise<void>;
}

export class Queue {
  readonly #most: number;
  readonly #mostPerHost: number;
  readonly #failed: (error: unknown) => void;
  /** By host, then by name, both in order of arrival: thousands that wait for one host are not looked through. */
  readonly #waiting = new Map<string, Map<string, Job>>();
  readonly #hosts = new Map<string, string>();
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
    const line = this.#waiting.get(job.host) ?? new Map<string, Job>();
    this.#waiting.set(job.host, line.set(job.name, job));
    this.#hosts.set(job.name, job.host);
    this.#next();
  }

  /** Whether a job of this name waits or runs. */
  has(name: string): boolean {
    return this.#hosts.has(name) || [...this.#running].some((job) => job.name === name);
  }

  cancel(name: string): void {
    this.#leave(name);
    for (const job of this.#running) if (job.name === name) job.abort.abort();
  }

  cancelGroup(group: string): void {
    const waiting = [...this.#waiting.values()].flatMap((line) => [...line.values()]);
    for (const job of waiting) if (job.group === group) this.#leave(job.name);
    for (const job of this.#running) if (job.group === group) job.abort.abort();
  }

  /** Cancels everything and waits until nothing runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    for (const job of this.#running) job.abort.abort();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  /** Takes a job out of its line. */
  #leave(name: string): void {
    const host = this.#hosts.get(name) ?? '';
    const line = this.#waiting.get(host);
    line?.delete(name);
    if (line?.size === 0) this.#waiting.delete(host);
    this.#hosts.delete(name);
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const job = this.#ready();
      if (!job) return;
      this.#leave(job.name);
      this.#start(job);
    }
  }

  #ready(): Job | undefined {
    const running = [...this.#running];
    for (const [host, line] of this.#waiting) {
      if (running.filter((job) => job.host === host).length >= this.#mostPerHost) continue;
      for (const job of line.values()) if (!running.some(({ name }) => name === job.name)) return job;
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
