import type { ServerResponse } from 'node:http';
import { Refusal } from '../../schema/errors.ts';

/** Bounds the exports under way: each holds a source in memory, whole, for as long as its reader takes. */
export interface ExportCapacity {
  /** Until the reply is closed. Throws `rate_limited` where the user has too many under way, `unavailable` where all have. */
  take(user: string, reply: ServerResponse): void;
}

/** Seconds. */
const RETRY_AFTER = 10;

/** `stallMs`: an export of which the reader takes nothing for so long is broken off. */
export function createExportCapacity({ perUser = 2, inAll = 8, stallMs = 60_000 } = {}): ExportCapacity {
  const underWay = new Map<string, number>();
  let all = 0;
  return {
    take(user, reply) {
      const own = underWay.get(user) ?? 0;
      if (own >= perUser) {
        const sentence = `${perUser} exports of yours are under way: wait for the end of one`;
        throw new Refusal('rate_limited', sentence, { retryAfter: RETRY_AFTER });
      }
      if (all >= inAll) throw new Refusal('unavailable', 'too many exports are under way', { retryAfter: RETRY_AFTER });
      underWay.set(user, own + 1);
      all++;
      reply.once('close', () => {
        all--;
        const left = underWay.get(user)! - 1;
        if (left > 0) underWay.set(user, left);
        else underWay.delete(user);
      });
      reply.setTimeout(stallMs, () => reply.destroy());
    },
  };
}
