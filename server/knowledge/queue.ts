/** Runs jobs a few at a time, and fewer for one host. */
export interface Job {
  /** Jobs of one name never run at the same time: a second replaces the first, once that has ended. */
  name: string;
  host: string;
  run(signal: AbortSignal): Promise<void>;
}

interface Running extends Job {
  abort: AbortController;
  done: Promise<void>;
}

export class Queue {
  readonly #most: number;
  readonly #mostPerHost: number;
  #waiting: Job[] = [];
  readonly #running = new Set<Running>();
  #closed = false;

  constructor(most: number, mostPerHost: number) {
    this.#most = most;
    this.#mostPerHost = mostPerHost;
  }

  add(job: Job): void {
    if (this.#closed) return;
    this.cancel(job.name);
    this.#waiting.push(job);
    this.#next();
  }

  cancel(name: string): void {
    this.#waiting = this.#waiting.filter((job) => job.name !== name);
    for (const job of this.#running) if (job.name === name) job.abort.abort();
  }

  /** Cancels everything and waits until nothing runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting = [];
    for (const job of this.#running) job.abort.abort();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const at = this.#waiting.findIndex((job) => this.#mayRun(job));
      if (at < 0) return;
      this.#start(this.#waiting.splice(at, 1)[0]!);
    }
  }

  #mayRun({ name, host }: Job): boolean {
    const running = [...this.#running];
    return (
      !running.some((job) => job.name === name) && running.filter((job) => job.host === host).length < this.#mostPerHost
    );
  }

  #start(job: Job): void {
    const abort = new AbortController();
    const running: Running = { ...job, abort, done: Promise.resolve() };
    this.#running.add(running);
    running.done = job.run(abort.signal).finally(() => {
      this.#running.delete(running);
      this.#next();
    });
  }
}
