import { CallQueue, type QueuedCall } from './call-queue.ts';
import { modelOverloaded } from './errors.ts';
import type { Generated, Generation, Model, ModelRequest } from './model.ts';

/** The model with at most `concurrency` calls under way. What has no turn in time rejects with the reason `overloaded`. */
export function boundedModel(model: Model, concurrency: number): Model {
  const queue = new CallQueue({ concurrency });
  return {
    generate: (request, onText) => new QueuedGeneration(model, queue, request, onText),
    close: () => model.close(),
  };
}

class QueuedGeneration implements Generation, QueuedCall {
  readonly owner: string;
  readonly isBackground: boolean;
  readonly isContinued: boolean;
  readonly done: Promise<Generated>;
  readonly #queue: CallQueue;
  #begin: (() => Generation) | undefined;
  #inner: Generation | undefined;
  #resolve!: (generated: Generated | Promise<Generated>) => void;
  #reject!: (error: Error) => void;

  constructor(model: Model, queue: CallQueue, request: ModelRequest, onText: (piece: string) => void) {
    this.owner = request.owner ?? '';
    this.isBackground = request.isBackground ?? false;
    this.isContinued = request.isContinued ?? false;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#queue = queue;
    this.#begin = () => model.generate(request, onText);
    queue.enter(this);
  }

  start(): void {
    const begin = this.#begin!;
    this.#begin = undefined;
    this.#inner = begin();
    const leave = (): void => this.#queue.leave(this);
    this.#inner.done.then(leave, leave);
    this.#inner.done.then(this.#resolve, this.#reject);
  }

  refuse(): void {
    this.#begin = undefined;
    this.#reject(modelOverloaded());
    this.#inner?.stop();
  }

  stop(): void {
    if (this.#inner) return this.#inner.stop();
    if (!this.#begin) return;
    this.#begin = undefined;
    this.#queue.leave(this);
    this.#resolve(NOTHING);
  }
}

/** What there is of a call that was stopped before its turn. */
const NOTHING: Generated = { finish: 'stop', totalTokens: 0, promptTokens: 0, completionTokens: 0, toolCalls: [] };
