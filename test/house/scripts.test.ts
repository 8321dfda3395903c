import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

describe('npm run bench', () => {
  test('names the benches there are when it does not know the one it is given', () => {
    const args = ['test/bench/run.mjs', 'no-bench-of-ours', '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    for (const file of readdirSync('test/bench').filter((name) => /^[\w-]+\.ts$/.test(name))) {
      expect(stderr).toContain(file.replace('.ts', ''));
    }
  });
});
