import fc from 'fast-check';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillStore } from '../../../server/store/archive/fill.ts';
import { ArchiveFault } from '../../../server/store/archive/format.ts';
import type { ImportTarget } from '../../../server/store/archive/import.ts';
import { importToLowdb } from '../../../server/store/lowdb/import.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { readArchive } from '../../../server/store/archive/read.ts';
import { archiveOf, fillWithAll, importFrom, linesOf } from './content.ts';

/** An archive that is cut off or changed is refused, and leaves nothing. */

let dir: string;
let archive: Buffer;
let owner: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-damaged-'));
  const store = await openLowdbStore({ dir: join(dir, 'from'), clock: Date.now });
  await fillWithAll(store);
  archive = await archiveOf(store);
  owner = store.owner.user.uuid;
  await store.close();
});
afterAll(() => rm(dir, { recursive: true }));

const into =
  (name: string): ImportTarget =>
  (options) =>
    importToLowdb({ ...options, dir: join(dir, name) });

/** A store that takes everything and keeps nothing. */
const anyStore = new Proxy({} as never, {
  get: (_, verb) =>
    verb === 'owner'
      ? { user: { uuid: owner } }
      : async () => (verb === 'chatbot' ? undefined : verb === 'createSource' ? { existing: undefined } : true),
});
const readAll = async (bytes: Uint8Array) => {
  const { entries } = await readArchive(
    (async function* () {
      yield bytes;
    })(),
  );
  return fillStore(anyStore, entries);
};

const refused = async (bytes: Uint8Array): Promise<string> => {
  const error: unknown = await readAll(bytes).then(
    () => 'nothing was refused',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ArchiveFault);
  return (error as Error).message;
};

it('reads it whole, compressed or not, whatever the pieces', async () => {
  expect((await importFrom(gzipSync(archive), into('zipped'))).session).toBe(77);
  const store = await openLowdbStore({ dir: join(dir, 'zipped'), clock: Date.now });
  expect(linesOf(await archiveOf(store))).toEqual(linesOf(archive));
  await store.close();
});

it('spreads vectors over lines, and reads those of version 1, which stand in one', async () => {
  const lines = archive.toString().trimEnd().split('\n').slice(0, -1);
  const vectors = lines.filter((line) => /^\{"(?:vectors|rows)"/.test(line));
  expect(vectors.length).toBeGreaterThan(2);
  for (const line of vectors) expect(line.length).toBeLessThan(200_000);

  const joined: string[] = [];
  for (const line of lines) {
    const [, more] = /^\{"rows":"(.*)"\}$/.exec(line) ?? [];
    if (more !== undefined) joined.push(joined.pop()!.replace(/"\}\}$/, `${more}"}}`));
    else joined.push(line.replace(/^\{"archive":\{"version":3/, '{"archive":{"version":1'));
  }
  const counts: Record<string, number> = {};
  for (const line of joined) {
    const kind = /^\{"(\w+)"/.exec(line)![1]!;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  expect(counts['rows']).toBeUndefined();
  const text = `${joined.join('\n')}\n`;
  const end = { counts, crc32: crc32(text) };
  await importFrom(Buffer.from(`${text}${JSON.stringify({ end })}\n`), into('first'));
  const store = await openLowdbStore({ dir: join(dir, 'first'), clock: Date.now });
  expect(linesOf(await archiveOf(store))).toEqual(linesOf(archive));
  await store.close();
});

it('refuses one that is cut off anywhere', async () => {
  expect((await readAll(archive)).session).toBe(77);
  const last = archive.lastIndexOf(10, archive.length - 2) + 1;
  for (const length of [1, 2, 100, last - 1, last, last + 5, archive.length - 1])
    await refused(archive.subarray(0, length));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: archive.length - 1 }), fc.boolean(), async (length, isZipped) => {
      const cut = archive.subarray(0, length);
      await refused(isZipped ? gzipSync(cut) : cut);
    }),
    { numRuns: 30 },
  );
  const zipped = gzipSync(archive);
  expect(await refused(zipped.subarray(0, zipped.length - 100))).toContain('cut off or damaged');
});

it('refuses one with a byte, a line or an end that is another', async () => {
  const lines = archive.toString().split('\n').slice(0, -1);
  const joined = (all: string[]): Buffer => Buffer.from(`${all.join('\n')}\n`);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: archive.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const changed = Buffer.from(archive);
      changed[at]! ^= mask;
      await refused(changed);
    }),
    { numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: lines.length - 1 }),
      fc.nat({ max: lines.length - 1 }),
      fc.nat({ max: 2 }),
      async (at, other, way) => {
        if (way === 0) await refused(joined(lines.toSpliced(at, 1)));
        if (way === 1) await refused(joined(lines.toSpliced(at, 0, lines[other]!)));
        if (way === 2 && lines[at] !== lines[other]) await refused(joined(lines.with(at, lines[other]!)));
      },
    ),
    { numRuns: 40 },
  );
  expect(await refused(Buffer.concat([archive, Buffer.from('{"user":{}}\n')]))).toContain('behind its end');
});

it('refuses a day that would be the name of another file', async () => {
  const text = archive.toString();
  for (const [from, to] of [
    [/(\{"usage":.*"day":")[^"]+/, '$1../../x'],
    [/(\{"reply":.*"created_at":")[^"]+/, '$1../../../x'],
    [/(\{"usage":.*"day":")[^"]+/, '$12026-1'],
  ] as const) {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(await refused(Buffer.from(changed))).toMatch(/^line \d+ /);
  }
});

it('refuses what is no archive, and one of a newer version', async () => {
  for (const text of [
    '',
    '\n',
    '{}\n',
    '[]\n',
    'null\n',
    '{"archive":{}}\n',
    '{"__proto__":{}}\n',
    '\u0000\n'.repeat(9),
  ])
    await refused(Buffer.from(text));
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => void (await refused(bytes))),
    { numRuns: 50 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.json(), { maxLength: 5 }),
      async (values) => void (await refused(Buffer.from(values.map((one) => `${one}\n`).join('')))),
    ),
    { numRuns: 50 },
  );
  const newer = archive.toString().replace('{"archive":{"version":4,', '{"archive":{"version":5,"more":{},');
  expect(await refused(Buffer.from(newer))).toBe(
    'the archive was written by a newer version of docent (archive 5): import it with that version',
  );
});

it('leaves nothing in the folder, where it is found at the end too', async () => {
  const changed = Buffer.from(archive);
  changed[archive.indexOf('You have 30 days')]! ^= 1;
  for (const bytes of [changed, archive.subarray(0, archive.length - 3)]) {
    await expect(importFrom(bytes, into('target'))).rejects.toBeInstanceOf(ArchiveFault);
    expect(await readdir(join(dir, 'target'))).toEqual(['lock']);
  }
  await importFrom(archive, into('target'));
});

it('ends an import that a crash has broken off before or after it counted', async () => {
  await importFrom(archive, into('crashed'));
  const target = join(dir, 'crashed');
  await cp(join(target, 'chatbots'), join(target, 'importing', 'chatbots'), { recursive: true });
  let store = await openLowdbStore({ dir: target, clock: Date.now });
  await store.close();
  expect(await readdir(target)).not.toContain('importing');

  // Everything is staged and renamed, and two parts are moved.
  await mkdir(join(target, 'imported'));
  for (const name of ['sessions', 'indexes', 'replies', 'usage', 'store.json'])
    await rename(join(target, name), join(target, 'imported', name));
  store = await openLowdbStore({ dir: target, clock: Date.now });
  expect(linesOf(await archiveOf(store))).toEqual(linesOf(archive));
  await store.close();
  expect(await readdir(target)).not.toContain('imported');
});
