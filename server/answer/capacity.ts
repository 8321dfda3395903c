import { Refusal } from '../schema/errors.ts';

/** A bound on what is under way at once, for each owner and in all. */
export interface Capacity {
  /**
   * Counts `weight` until the returned function is called; calling it again does nothing. Throws `unavailable` with
   * `retryAfter` where there is no room. What is heavier than the bound itself passes while nothing else is counted.
   */
  take(owner: string, weight?: number): () => void;
  /** Throws as `take(owner)` would, and counts nothing. */
  check(owner: string): void;
  /** The weight counted at the moment. */
  readonly taken: number;
}

interface Most {
  each: number;
  all: number;
}

/** Seconds. */
const RETRY_AFTER = 5;

export function createCapacity({ each, all }: Most): Capacity {
  const owners = new Map<string, number>();
  let taken = 0;

  function check(owner: string, weight = 1): void {
    const own = owners.get(owner) ?? 0;
    const fits = (counted: number, most: number): boolean => counted === 0 || counted + weight <= most;
    if (!fits(taken, all)) throw full('there is too much to do at the moment; please try again later');
    if (!fits(own, each)) throw full('too many requests in progress from your address; please try again later');
  }

  return {
    check: (owner) => check(owner),
    take(owner, weight = 1) {
      check(owner, weight);
      taken += weight;
      owners.set(owner, (owners.get(owner) ?? 0) + weight);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
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

const full = (sentence: string): Refusal => new Refusal('unavailable', sentence, { retryAfter: RETRY_AFTER });

/** Answers under way of one visitor at one chatbot. */
const VISITOR_ANSWERS = 3;

export interface AnswerCapacity {
  /** As `Capacity.take`. Key holders, who are no visitors, are bounded together with all others only. */
  take(chatbot: string, visitor: string | undefined): () => void;
  check(chatbot: string, visitor: string): void;
}

/** `most`: answers under way, in all. */
export function createAnswerCapacity(most: number): AnswerCapacity {
  const all = createCapacity({ each: most, all: most });
  const visitors = createCapacity({ each: VISITOR_ANSWERS, all: most });
  return {
    check(chatbot, visitor) {
      visitors.check(`${chatbot} ${visitor}`);
      all.check('');
    },
    take(chatbot, visitor) {
      all.check('');
      const leaveVisitor = visitor === undefined ? undefined : visitors.take(`${chatbot} ${visitor}`);
      const leave = all.take('');
      return () => {
        leave();
        leaveVisitor?.();
      };
    },
  };
}
