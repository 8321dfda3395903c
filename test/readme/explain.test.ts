import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { start, type Running } from '../running.ts';
import { blocksOf, textOf } from './texts.ts';

/** The guide to wrong answers shows what `docent ask --explain` prints for the demo, some lines left out. */

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

/** Figures move with every change of the ranking. */
const withoutFigures = (line: string): string => line.replace(/\d+(?:\.\d+)?/g, '0');

it('prints the lines that the guide shows, in their order', async () => {
  const [block = ''] = blocksOf(textOf('answers'), 'text');
  const [command = '', ...lines] = block.trim().split('\n');
  const words = Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);
  expect(words.slice(0, 3)).toEqual(['$', 'docent', 'ask']);
  const { code, out, err } = await docent(words.slice(2));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const printed = out.split('\n').map(withoutFigures);
  let from = 0;
  for (const line of lines.map(withoutFigures)) {
    const at = printed.indexOf(line, from);
    expect(at < 0 ? `not printed: ${line}\n${out}` : '').toBe('');
    from = at + 1;
  }
});
