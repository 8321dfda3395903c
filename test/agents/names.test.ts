import { expect, it } from 'vitest';
import { NameTable } from '../../server/agents/routing/names.ts';

it('finds each of many names, also those that begin alike, and no other', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `w${at.toString(3)}${at % 7 === 0 ? ' ñ' : ''}`);
  const table = await NameTable.of(names);
  expect(names.map((name) => table.placeOf(name))).toEqual(names.map((_, at) => at));
  for (const other of ['', 'w', 'w0 ', 'w2222222x', ' w1', 'w1\n', 'w1\nw2'])
    expect(table.placeOf(other), other).toBe(-1);
  expect((await NameTable.of([])).placeOf('w1')).toBe(-1);
});

it('reads names out of the text that they stand in', () => {
  const table = NameTable.within('a=12|ab=-3|=7', Uint32Array.of(0, 5, 11), '=');
  expect(['a', 'ab', '', 'b', 'ab=-3'].map((name) => table.placeOf(name))).toEqual([0, 1, 2, -1, -1]);
});
