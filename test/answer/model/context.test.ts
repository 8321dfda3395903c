import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { estimateTokens } from '../../../server/model/tokens.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';

/** What of passages and earlier turns a model gets, by the context of the agent’s model. */

let fake: FakeModel;
let folder: string;
let running: Running;
let chatbot: string;
let agent: string;

const FILLER =
  'It is made of steel and glass, weighs two kilograms and stands on a table or hangs from the ceiling. '.repeat(6);

beforeAll(async () => {
  fake = await startFakeModel({ script: { pieces: ['The lamp has a long cord [1]. ', 'word '.repeat(200)] } });
  folder = await mkdtemp(join(tmpdir(), 'docent-context-'));
  const models = join(folder, 'models.json');
  await writeFile(
    models,
    '{"llm-4o-mini-4k": {}, "two": {"context": 2600}, "three": {"context": 3560}, "four": {"context": 4960}}',
  );
  running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', MODELS_FILE: models });
  await fill();
});
afterAll(async () => {
  await running.stop();
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

/** A chatbot with twelve passages that fit one question. */
async function fill(): Promise<void> {
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Shop', show_citations: true })).body.uuid;
  agent = (await running.api('GET', `/chatbot/${chatbot}/agents`)).body[0].uuid;
  for (let at = 1; at <= 12; at += 1) {
    const pair = { question: `What is lamp ${at} like?`, answer: `Lamp number ${at} has a long cord. ${FILLER}` };
    await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  }
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
}

/** Asks so often in one session; the last request that the model got, with what counts in it. */
async function askWith(model: string, times = 5) {
  await running.api('POST', `/agent/${agent}/update`, { model });
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  for (let at = 1; at <= times; at += 1) {
    const query = `Which of the lamps has a long cord, asked ${at} times?`;
    await running.api('POST', `/session/${session}/message/non-stream`, { query });
  }
  const { messages } = fake.requests.at(-1)!.body;
  return {
    passages: messages[0]!.content.match(/^\[\d+\] /gm)?.length ?? 0,
    earlier: messages
      .filter(({ role }) => role === 'user')
      .slice(0, -1)
      .map(({ content }) => content.match(/\d+/)?.[0]),
    tokens: messages.reduce((sum, { content }) => sum + estimateTokens(content), 0),
  };
}

it('a large context gets all turns, and more passages than quotes are taken from', async () => {
  const { passages, earlier } = await askWith('llm-4o-16k');
  expect(passages).toBe(12);
  expect(earlier).toEqual(['1', '2', '3', '4']);
});

it('a smaller one goes without the further passages and the oldest turns, and leaves room for an answer', async () => {
  const small = await askWith('four');
  expect(small.passages).toBe(8);
  expect(small.earlier.length).toBeLessThan(4);
  expect(small.earlier).toEqual(['1', '2', '3', '4'].slice(4 - small.earlier.length));
  expect(small.tokens).toBeLessThanOrEqual(3720);
});

it('a still smaller one goes without the last passages, and keeps the last turns', async () => {
  const { passages, earlier, tokens } = await askWith('three');
  expect(earlier).toEqual(['3', '4']);
  expect(passages).toBeGreaterThan(1);
  expect(passages).toBeLessThan(8);
  expect(tokens).toBeLessThanOrEqual(2400);
});

it('turns before the second passage take at most half of what the first leaves', async () => {
  const { passages, earlier, tokens } = await askWith('two');
  expect(earlier).toEqual(['4']);
  expect(passages).toBeGreaterThan(1);
  expect(tokens).toBeLessThanOrEqual(1950);
});

it('the smallest keeps the first passage, and a marker of one that was not given is taken out', async () => {
  fake.next({ pieces: ['The lamp has a long cord [1]. The lamp has a long cord [2].'] });
  expect((await askWith('llm-4-1106-preview-1k', 1)).passages).toBe(1);
  const [session] = (await running.api('GET', `/chatbot/${chatbot}/sessions`)).body.slice(-1);
  const [message] = (await running.api('GET', `/session/${session.uuid}/messages`)).body;
  expect(message.response).toBe('The lamp has a long cord [1]. The lamp has a long cord.');
  expect(Object.keys(JSON.parse(message.cite_data_json))).toEqual(['1']);
});

it.each([{}, { MODEL_CREDITS: 'llm-4o-mini-4k=3' }])(
  'where the operator names no models, all agents use LLM_MODEL, and nothing is cut by their names: %o',
  async (env) => {
    const first = running;
    running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', ...env });
    const [known, unnamed] = [chatbot, agent];
    await fill();
    const [small, large] = [await askWith('llm-4-1106-preview-1k', 8), await askWith('llm-4o-16k', 8)];
    expect(small).toEqual(large);
    expect(small.earlier).toEqual(['2', '3', '4', '5', '6', '7']);
    await running.stop();
    [running, chatbot, agent] = [first, known, unnamed];
  },
);
