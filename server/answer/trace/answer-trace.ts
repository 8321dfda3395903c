import type { RemovedMarker } from '../citations/stream-filter.ts';
import type { Found, SearchResult, SearchTrace } from '../../knowledge/search/found.ts';
import type { ModelRequest } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import type { Rewritten } from '../retrieve/rewrite.ts';
import type { StoredAgent, StoredMessage } from '../../store/store.ts';

/** What of the context of an answer is told. */
export interface TracedContext extends SearchResult {
  question: { acceptedLanguages?: readonly string[] };
  agents: StoredAgent[];
  agent: StoredAgent | undefined;
  turns: StoredMessage[];
  talk: object | undefined;
  rewritten: Rewritten | undefined;
}

/** In their order: who answers, what is found, what is written, what of it is checked. */
const STEPS = ['agent', 'search', 'write', 'check'] as const;
type Step = (typeof STEPS)[number];

/**
 * Keeps how one question is answered. The answer itself calls it with what it uses; a question without one costs nothing
 * for it.
 */
export class AnswerTrace {
  context: TracedContext | undefined;
  search: SearchTrace | undefined;
  /** The passages that the model got, and the request itself. */
  given: readonly Found[] = [];
  request: ModelRequest | undefined;

  /** Markers of the model's that were taken out, in order. */
  removed: RemovedMarker[] = [];
  readonly #clock: Clock;
  readonly #begun: number;
  readonly #reached: Partial<Record<Step, number>> = {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock();
  }

  readonly onSearch = (search: SearchTrace): void => {
    this.search = search;
  };

  readonly onRemoved = (removed: RemovedMarker): void => void this.removed.push(removed);

  begin(context: TracedContext): void {
    this.context = context;
    this.reached('search');
  }

  /** The end of a step; the first call counts. */
  reached(step: Step): void {
    this.#reached[step] ??= this.#clock();
  }

  /** Milliseconds of each step; 0 of one that was not come to. */
  timings(): Record<Step, number> {
    let from = this.#begun;
    const took = STEPS.map((step) => {
      const to = this.#reached[step] ?? from;
      const ms = Math.max(0, to - from);
      from = to;
      return [step, ms] as const;
    });
    return Object.fromEntries(took) as Record<Step, number>;
  }

  /** What the model wrote is dropped, and with it what was taken out of that. */
  restart(): void {
    this.removed = [];
  }

  give(passages: readonly Found[], request: ModelRequest): void {
    this.given = passages;
    this.request = request;
  }
}
