import { Refusal } from '../schema/errors.ts';

/** A limit on concurrent work, for each owner and in all. */
export interface Capacity {
  /**
   * Counts `weight` until the returned function is called; calling it again does nothing. Throws `unavailable` with
   * `retryAfter` where the limit is reached. A weight above the limit itself is admitted while nothing else is counted.
   */
  take(owner: string, weight?: number): () => void;
  /** Throws as `take(owner)` would, and counts nothing. */
  check(owner: string): void;
  /** The weight counted at the moment. */
  readonly taken: number;
}

interface CapacityLimits {
  each: number;
  all: number;
}

const RETRY_AFTER_SECONDS = 5;

export function createCapacity({ each, all }: CapacityLimits): Capacity {
  const owners = new Map<string, number>();
  let taken = 0;

  function check(owner: string, weight = 1): void {
    const takenByOwner = owners.get(owner) ?? 0;
    const fits = (counted: number, limit: number): boolean => counted === 0 || counted + weight <= limit;
    if (!fits(taken, all)) throw full('there is too much to do at the moment; please try again later');
    if (!fits(takenByOwner, each))
      throw full('too many requests in progress from your address; please try again later');
  }

  return {
    check: (owner) => check(owner),
    take(owner, weight = 1) {
      check(owner, weight);
      taken += weight;
      owners.set(owner, (owners.get(owner) ?? 0) + weight);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        taken -= weight;
        const left = (owners.get(owner) ?? 0) - weight;
        if (left > 0) owners.set(owner, left);
        else owners.delete(owner);
      };
    },
    get taken() {
      return taken;
    },
  };
}

const full = (message: string): Refusal => new Refusal('unavailable', message, { retryAfter: RETRY_AFTER_SECONDS });

/** Answers under way, for one visitor at one chatbot. */
const MAX_VISITOR_ANSWERS = 3;

export interface AnswerCapacity {
  /** As `Capacity.take`. For callers with an API key, who are no visitors, only the limit in all holds. */
  take(chatbot: string, visitor: string | undefined): () => void;
}

/** `maxRuns`: answers under way, in all. */
export function createAnswerCapacity(maxRuns: number): AnswerCapacity {
  const all = createCapacity({ each: maxRuns, all: maxRuns });
  const visitors = createCapacity({ each: MAX_VISITOR_ANSWERS, all: maxRuns });
  return {
    take(chatbot, visitor) {
      all.check('');
      const releaseVisitor = visitor === undefined ? undefined : visitors.take(`${chatbot} ${visitor}`);
      const release = all.take('');
      return () => {
        release();
        releaseVisitor?.();
      };
    },
  };
}
