import type { Value } from '../../agents/variables.ts';
import { orAbort } from '../../async/abort.ts';

/** What one background task has found out about a message. */
export interface Finding {
  /** The uuid of the background agent; '' where variables of other agents were looked for. */
  agent: string;
  by: 'model' | 'classifier';
  labels: { name: string; color: string }[];
  /** By names of variables, of their types. */
  variables: Record<string, Value>;
  /** Why it found out nothing; absent where it has looked. */
  reason?: string;
}

export interface Task {
  agent: string;
  by: Finding['by'];
  run(signal: AbortSignal): Promise<Omit<Finding, 'agent' | 'by'> & Partial<Pick<Finding, 'by'>>>;
  /** The `reason` of an error that `run` rejects with. */
  reasonOf(error: unknown): string;
}

/** Why a task ended early; its message is the `reason`. */
class TaskStopped extends Error {}

/** The background tasks of one message. Each ends by itself, by `stop` or after `timeout` ms; none touches another. */
export class BackgroundWork {
  /** In the order in which they came. */
  readonly findings: Finding[] = [];
  #taken = 0;
  #stored = 0;
  #pending: number;
  #wake: (() => void) | undefined;
  readonly #controller = new AbortController();

  constructor(tasks: readonly Task[], timeout: number) {
    this.#pending = tasks.length;
    const timer = setTimeout(() => this.#controller.abort(new TaskStopped('time_out')), timeout);
    void Promise.all(tasks.map((task) => this.#run(task))).then(() => clearTimeout(timer));
  }

  /** Tasks that have not ended. */
  get pending(): number {
    return this.#pending;
  }

  /** Tasks whose findings were not taken. */
  get untaken(): number {
    return this.#pending + this.findings.length - this.#taken;
  }

  /** Tasks that have not ended, and those that have found values which are not stored yet. */
  get unfinished(): number {
    return this.#pending + this.findings.slice(this.#stored).filter(hasValues).length;
  }

  /** All that was taken is stored. */
  markStored(): void {
    this.#stored = this.#taken;
  }

  /** The findings since the last call. */
  take(): Finding[] {
    const taken = this.findings.slice(this.#taken);
    this.#taken = this.findings.length;
    return taken;
  }

  /** Resolves when a task ends; to be called while one is pending, and not twice at once. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends all tasks: their calls are given up. */
  stop(): void {
    this.#controller.abort(new TaskStopped('stopped'));
  }

  async #run({ agent, by, run, reasonOf }: Task): Promise<void> {
    const { signal } = this.#controller;
    let finding: Finding;
    try {
      finding = { agent, by, ...(await orAbort(run(signal), signal)) };
    } catch (error) {
      const reason = error instanceof TaskStopped ? error.message : reasonOf(error);
      finding = { agent, by, labels: [], variables: {}, reason };
    }
    this.findings.push(finding);
    this.#pending -= 1;
    this.#wake?.();
  }
}

const hasValues = ({ variables }: Finding): boolean => Object.keys(variables).length > 0;
