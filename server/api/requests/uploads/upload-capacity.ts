import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../../schema/errors.ts';
import { MAX_FILE_BYTES } from './multipart.ts';

/** Bounds the bytes of uploads that are in memory at once. */
interface UploadCapacity {
  /** Waits until a request's body fits; resolves with the function that releases its bytes. Refuses with `unavailable` after `timeoutMs`. */
  reserve(request: IncomingMessage): Promise<() => void>;
}

interface WaitingUpload {
  size: number;
  admit(): void;
}

/** `bytes` in all, four of the largest files by default. First come, first served. */
export function createUploadCapacity({ bytes = 4 * MAX_FILE_BYTES, timeoutMs = 30_000 } = {}): UploadCapacity {
  let freeBytes = bytes;
  const waiting: WaitingUpload[] = [];

  function admit(): void {
    while (waiting[0] && waiting[0].size <= freeBytes) waiting.shift()!.admit();
  }

  function releaseOf(size: number): () => void {
    return () => {
      freeBytes += size;
      admit();
    };
  }

  return {
    reserve(request) {
      const size = sizeOf(request);
      return new Promise((resolve, reject) => {
        const one: WaitingUpload = {
          size,
          admit() {
            clearTimeout(timer);
            freeBytes -= size;
            resolve(releaseOf(size));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(new Refusal('unavailable', 'too many files are being uploaded; send it again', { retryAfter: 10 }));
        }, timeoutMs);
        waiting.push(one);
        admit();
      });
    },
  };
}

/** Without a valid Content-Length the size of the largest file is reserved. */
function sizeOf({ headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? MAX_FILE_BYTES);
  return Number.isSafeInteger(length) ? Math.min(length, MAX_FILE_BYTES) : MAX_FILE_BYTES;
}
