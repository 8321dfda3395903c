import { expect, test } from 'vitest';
import { bench } from '../../bench/scale.ts';
import { postgresPrograms } from './programs.mjs';

const hasPostgres = postgresPrograms() !== undefined || process.env['DATABASE_URL'] !== undefined;

test.skipIf(process.platform !== 'linux' || !hasPostgres)(
  'the bench of several servers checks their answers, and gives a row for each number of them',
  { timeout: 240_000 },
  async () => {
    const result = await bench(['--quick', 'quoted', 'streams', 'durable']);
    const names = ['files, 1 process', 'PostgreSQL, 1 process', 'PostgreSQL, 2 processes'];
    const measures = [
      'quoted answer, one at a time',
      'quoted answer, 16 at a time',
      '20 open streams held, all ended whole',
    ];
    for (const measure of measures)
      expect(result.loads.filter((row) => row.measure === measure).map(({ servers }) => servers)).toEqual(names);
    expect(result.loads.filter(({ a_second }) => a_second > 0)).toHaveLength(6);
    expect(result.cpu_ms.filter(({ servers_ms }) => servers_ms > 0)).toHaveLength(6);
    expect(result.goals.map(({ ratio }) => ratio > 0)).toEqual(Array(5).fill(true));
    await expect(bench(['quotes'])).rejects.toThrow('no such measure: quotes');
  },
);
