import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { openShop } from '../answer/tools/fixture.ts';

/** What `docent test` says of the model: a test that holds for its answers may fail for quotes. */

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-by-model-'));
  const turns = '[{ ask: How many days may a lamp be returned?, answer: { unknown: false } }]';
  await writeFile(join(dir, 'talk.yaml'), `conversations:\n  - { name: returns, turns: ${turns} }\n`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const NOWHERE = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'fake-1' };
const HELD = '1 conversation: 1 held, 0 failed in N s';

it.each([
  ['a model that answers', {}, true, `${HELD}\n`],
  ['no model', {}, false, `${HELD}, without a model\n`],
  [
    'a model that fails',
    NOWHERE,
    false,
    `${HELD}, without a model\nquotes in place of the model's answer: 1 of 1 (unreachable)\n`,
  ],
])('says by whom the answers are: %s', async (_, env, withModel, said) => {
  expect(await outcome(env, withModel)).toEqual({ code: 0, out: said });
});

it('with FALLBACK=0 shows what the API answers where the model fails', async () => {
  const { code, out } = await outcome({ ...NOWHERE, FALLBACK: '0' }, false);
  expect(code).toBe(1);
  expect(out).toContain('    answer\n      - an answer\n      + none: the model could not answer; please try again\n');
});

async function outcome(env: NodeJS.ProcessEnv, withModel: boolean) {
  const shop = await openShop(env, withModel);
  shop.model.next({ pieces: ['Within 45 days [1].'] });
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const code = await runCommand(['test', dir], { DATA_DIR: shop.docent.dataDir }, terminal);
  await shop.close();
  return { code, out: out.replace(/ in [\d.]+ s/, ' in N s') };
}
