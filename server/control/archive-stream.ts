import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../schema/ids.ts';
import { exportArchive } from '../store/archive/export.ts';
import type { SnapshotStore } from '../store/archive/snapshot.ts';

/** An archive of the store, made as it is read; fails where it cannot be. Destroying it ends that. */
export function archiveStream(store: Pick<SnapshotStore, 'snapshot'>, clock: Clock): Readable {
  const out = new PassThrough();
  // A failure destroys the stream, whose reader has it from there.
  store
    .snapshot((all) => pipeline(Readable.from(exportArchive(all, clock), { objectMode: false }), out))
    .catch((error: Error) => out.destroy(error));
  return out;
}
