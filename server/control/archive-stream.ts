import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Clock } from '../schema/ids.ts';
import { exportArchive } from '../store/archive/export.ts';
import type { Snapshot, SnapshotStore } from '../store/archive/snapshot.ts';

/**
 * An archive of the store, made as it is read. Where that fails it fails before its first byte; behind that, where `onFault` is given,
 * it calls that and ends. Destroying it ends the reading.
 */
export function archiveStream(
  store: Pick<SnapshotStore, 'snapshot'>,
  clock: Clock,
  onFault?: (error: Error) => void,
): Readable {
  const out = new PassThrough();
  const gone = new AbortController();
  let isBegun = false;
  out.once('close', () => gone.abort());
  // Not a pipeline: it would fail with the error as it was thrown, and the store may have a better one.
  const write = async (all: Snapshot): Promise<void> => {
    for await (const bytes of exportArchive(all, clock)) {
      isBegun = true;
      if (!out.write(bytes)) await once(out, 'drain', { signal: gone.signal }).catch(() => {});
      if (out.destroyed) return;
    }
    out.end();
  };
  store.snapshot(write).catch((error: Error) => {
    if (!isBegun || !onFault || out.destroyed) return void out.destroy(error);
    try {
      onFault(error);
      out.end();
    } catch (fault) {
      out.destroy(fault as Error);
    }
  });
  return out;
}
