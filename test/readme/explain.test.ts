import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { start, type Running } from '../running.ts';
import { blocksOf, textOf } from './texts.ts';

/** The guide to wrong answers shows what `docent ask --explain` prints for the demo, with `[…]` for what is left out. */

let demo: Running;
beforeAll(async () => {
  demo = await start({ DEMO: '1' });
  await demo.booted.demo!.prepare();
  await demo.booted.demo!.learned(40_000);
}, 60_000);
afterAll(() => demo.stop());

async function docent(words: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
  return { code: await runCommand(words, { DATA_DIR: demo.dataDir }, terminal), ...said };
}

/** Figures move with every change of the ranking, and ports with every test. */
const withoutFigures = (text: string): string => text.replace(/ +(?=\d)|\d+(?:\.\d+)?/g, (part) => part.trim() && '0');

it('prints what the guide shows, all of it but where it says so', async () => {
  const [block = ''] = blocksOf(textOf('answers'), 'text');
  const [command = '', ...lines] = block.trim().split('\n');
  const words = Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);
  expect(words.slice(0, 3)).toEqual(['$', 'docent', 'ask']);
  const { code, out, err } = await docent(words.slice(2));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const printed = withoutFigures(out);
  const parts = withoutFigures(lines.join('\n')).split('[…]');
  expect(printed.startsWith(parts[0]!) ? '' : out).toBe('');
  let from = 0;
  for (const part of parts) {
    const at = printed.indexOf(part, from);
    expect(at < 0 ? `not printed: ${part}\n${out}` : '').toBe('');
    from = at + part.length;
  }
});
