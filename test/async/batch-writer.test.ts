import { expect, it } from 'vitest';
import { BatchWriter } from '../../server/async/batch-writer.ts';

/** A write that ends when the test says so. */
function manualWrites() {
  const writes: { items: number[]; end: (error?: Error) => void }[] = [];
  const write = (items: number[]): Promise<void> =>
    new Promise((resolve, reject) => {
      writes.push({ items, end: (error) => (error ? reject(error) : resolve()) });
    });
  return { writes, writer: new BatchWriter(write) };
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

it('writes the items that were added during a write together', async () => {
  const { writes, writer } = manualWrites();
  const first = writer.add(1);
  await settled();
  const others = [writer.add(2), writer.add(3)];
  await settled();
  expect(writes.map(({ items }) => items)).toEqual([[1]]);
  writes[0]!.end();
  await first;
  await settled();
  expect(writes.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  writes[1]!.end();
  await Promise.all(others);
});

it('rejects the items of a failed write alone, and writes the next ones', async () => {
  const { writes, writer } = manualWrites();
  const failed = [writer.add(1), writer.add(2)];
  const refused = Promise.all(failed.map((one) => expect(one).rejects.toThrow('no space')));
  await settled();
  const next = writer.add(3);
  writes[0]!.end(new Error('no space'));
  await refused;
  await settled();
  writes[1]!.end();
  await next;
  expect(writes.map(({ items }) => items)).toEqual([[1, 2], [3]]);
});

it('settles after the last write, also when that fails', async () => {
  const { writes, writer } = manualWrites();
  writer.add(1).catch(() => {});
  let isSettled = false;
  const settling = writer.settled().then(() => (isSettled = true));
  await settled();
  expect(isSettled).toBe(false);
  writes[0]!.end(new Error('no space'));
  await settling;
});
