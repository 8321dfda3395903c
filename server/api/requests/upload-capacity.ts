import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../schema/errors.ts';
import { LARGEST_FILE } from './multipart.ts';

/** How much of uploads may be in memory at once. */
export interface Intake {
  /** Waits for room for a request's body; returns the way out. Refuses with `unavailable` after `patience` ms. */
  enter(request: IncomingMessage): Promise<() => void>;
}

interface Waiting {
  size: number;
  admit(): void;
}

/** `bytes` in all, four of the largest files by default. First come, first served. */
export function createIntake({ bytes = 4 * LARGEST_FILE, patience = 30_000 } = {}): Intake {
  let free = bytes;
  const waiting: Waiting[] = [];

  function admit(): void {
    while (waiting[0] && waiting[0].size <= free) waiting.shift()!.admit();
  }

  function leaving(size: number): () => void {
    return () => {
      free += size;
      admit();
    };
  }

  return {
    enter(request) {
      const size = sizeOf(request);
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          size,
          admit() {
            clearTimeout(timer);
            free -= size;
            resolve(leaving(size));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(new Refusal('unavailable', 'too many files are being uploaded; send it again', { retryAfter: 10 }));
        }, patience);
        waiting.push(one);
        admit();
      });
    },
  };
}

/** What is not told beforehand may be the largest. */
function sizeOf({ headers }: IncomingMessage): number {
  const told = Number(headers['content-length'] ?? LARGEST_FILE);
  return Number.isSafeInteger(told) ? Math.min(told, LARGEST_FILE) : LARGEST_FILE;
}
