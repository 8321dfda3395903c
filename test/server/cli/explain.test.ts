import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site } from '../../running.ts';

/** `docent ask --explain`, in a folder that no server has. */

const pages = {
  '/': '<title>Museum</title><main><p>The museum opens at nine.</p></main>',
  '/tickets': '<title>Tickets</title><main><h1>Tickets</h1><p>A ticket costs 12 euros for adults.</p></main>',
};

let museum: Awaited<ReturnType<typeof site>>;
let model: FakeModel;
let dir: string;
const docent = async (words: string[], env: NodeJS.ProcessEnv = {}) => {
  const said = { out: '', err: '' };
  const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
  const code = await runCommand(words, { DATA_DIR: dir, FETCH_ALLOW: museum.host, ...env }, terminal);
  return { code, ...said };
};
const explain = (question: string, env?: NodeJS.ProcessEnv, chatbot = 'museum') =>
  docent(['ask', chatbot, question, '--explain'], env);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-explain-'));
  [museum, model] = [await site(pages), await startFakeModel({ script: { pieces: ['It costs 12 euros [1].'] } })];
  await docent(['chatbot', 'add', 'Museum']);
  for (const path of Object.keys(pages)) await docent(['learn', 'museum', museum.base + path]);
  await docent(['chatbot', 'add', 'Empty']);
});
afterAll(async () => {
  await museum.close();
  await model.close();
  await rm(dir, { recursive: true, force: true });
});

describe('docent ask --explain', () => {
  it('prints the answer as without --explain, then why it was given', async () => {
    const plain = await docent(['ask', 'museum', 'What does a ticket cost?']);
    const { code, out, err } = await explain('What does a ticket cost?');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.startsWith(`${plain.out}\nwhy `)).toBe(true);
    expect(out).toMatch(/^why +“Tickets” has a sentence that answers$/m);
    expect(out).toMatch(/^words +ticket \(\d\.\d\), cost \(\d\.\d\)$/m);
    expect(out).toMatch(/^ \[1\] Tickets\n {5}http.*\/tickets\n {5}\d\.\d\d = words .* \+ best sentence \d\.\d\d\n/m);
    expect(out).toMatch(/^ \* \d\.\d\d +\d+ % {2}\[1\] {2}A ticket costs 12 euros for adults\.$/m);
  });

  it('tells which words no page has where nothing answers', async () => {
    const { code, out } = await explain('Do you sell bicycle helmets?');
    expect(code).toBe(0);
    expect(out).toMatch(/^on no page +.*“bicycle”, “helmets”$/m);
    expect(out).not.toMatch(/^ \* /m);
  });

  it.each([
    ['Is there a café?', 'Empty', 'the chatbot has learned no page yet'],
    ['Good morning!', 'museum', 'the message is small talk'],
  ])('tells why there is nothing to read: %s', async (question, chatbot, why) => {
    const { code, out } = await explain(question, {}, chatbot);
    expect(code).toBe(0);
    expect(out).toContain(`${why}`);
    expect(out).not.toContain('Sentences:');
  });

  it('tells what a model got, and why quotes stand in for one that fails', async () => {
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' };
    const answered = await explain('What does a ticket cost?', env);
    expect(answered.out).toMatch(/^why +the model wrote it, from \d passages?$/m);
    expect(answered.out).toMatch(/^model .*it got \d passages?; \d+ tokens, 1 credit$/m);
    model.next({ status: 401, raw: ['{}'] });
    const quoted = await explain('What does a ticket cost?', env);
    expect(quoted).toMatchObject({ code: 0, err: expect.stringContaining('the model failed') });
    expect(quoted.out).toMatch(/^why +the model failed \(.*\); “Tickets” has a sentence that answers$/m);
  });

  it('exits with 1 where the answer fails, and where there is no such chatbot', async () => {
    model.next({ status: 401, raw: ['{}'] });
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1', FALLBACK: '0' };
    const failed = await explain('What does a ticket cost?', env);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('the answer failed') });
    expect(failed.out).toMatch(/^why +the answer failed: /m);
    expect(await explain('hi', {}, 'nobody')).toMatchObject({ code: 1, out: '' });
  });
});
