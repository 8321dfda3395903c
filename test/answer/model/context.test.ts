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
    '{"llm-4o-mini-4k": {}, "one": {"context": 1000}, "two": {"context": 2100}, "three": {"context": 2900}, "four": {"context": 4000}}',
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

/** A chatbot of these pairs, its only agent with the model; what the model gets for the question, and the message. */
async function askOf(pairs: [question: string, answer: string][], query: string, model: string) {
  const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Pairs', show_citations: true })).body;
  const own = (await running.api('GET', `/chatbot/${uuid}/agents`)).body[0].uuid;
  await running.api('POST', `/agent/${own}/update`, { model });
  for (const [question, answer] of pairs)
    await running.api('POST', `/chatbot/${uuid}/data-source/qa`, { question, answer });
  const sources = () => running.api('GET', `/chatbot/${uuid}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
  const session = (await running.api('POST', `/chatbot/${uuid}/session/create`, {})).body.uuid;
  await running.api('POST', `/session/${session}/message/non-stream`, { query });
  const { messages } = fake.requests.at(-1)!.body;
  return {
    system: messages[0]!.content,
    tokens: messages.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    message: (await running.api('GET', `/session/${session}/messages`)).body[0],
  };
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
  expect(small.passages).toBeGreaterThanOrEqual(8);
  expect(small.passages).toBeLessThan(12);
  expect(small.earlier.length).toBeLessThan(4);
  expect(small.earlier).toEqual(['1', '2', '3', '4'].slice(4 - small.earlier.length));
  expect(small.tokens).toBeLessThanOrEqual(3000);
  expect(small.tokens).toBeGreaterThan(2700);
});

it('a still smaller one goes without the last passages, and keeps the last turns', async () => {
  const { passages, earlier, tokens } = await askWith('three');
  expect(earlier).toEqual(['3', '4']);
  expect(passages).toBeGreaterThan(1);
  expect(passages).toBeLessThan(8);
  expect(tokens).toBeLessThanOrEqual(2175);
  expect(tokens).toBeGreaterThan(1950);
});

it('turns before the second passage take at most half of what the first leaves', async () => {
  const { passages, earlier, tokens } = await askWith('two');
  expect(earlier).toEqual(['4']);
  expect(passages).toBeGreaterThan(1);
  expect(tokens).toBeLessThanOrEqual(1575);
  expect(tokens).toBeGreaterThan(1400);
});

it('the smallest keeps the first passages, and a marker of one that was not given is taken out', async () => {
  fake.next({ pieces: ['The lamp has a long cord [1]. The lamp has a long cord [9].'] });
  expect((await askWith('llm-4-1106-preview-1k', 1)).passages).toBeLessThan(3);
  const [session] = (await running.api('GET', `/chatbot/${chatbot}/sessions`)).body.slice(-1);
  const [message] = (await running.api('GET', `/session/${session.uuid}/messages`)).body;
  expect(message.response).toBe('The lamp has a long cord [1]. The lamp has a long cord.');
  expect(Object.keys(JSON.parse(message.cite_data_json))).toEqual(['1']);
});

it('a long passage that does not fit makes room for shorter ones', async () => {
  const pairs: [string, string][] = [
    ['Which cord has the desk lamp?', 'The cord of the desk lamp is two metres long.'],
    [
      'Which cord has the floor lamp, the wall lamp and the garden lamp?',
      `Each lamp has a red cord. ${FILLER}${FILLER}`,
    ],
    ['What is a night lamp?', 'The night lamp has no cord at all.'],
    ['What is a clip lamp?', 'The clip lamp has a cord of linen.'],
  ];
  const { system, tokens } = await askOf(pairs, 'Which cord has the desk lamp, and which a garden lamp?', 'one');
  for (const said of ['two metres long', 'no cord at all', 'cord of linen']) expect(system).toContain(said);
  expect(system).not.toContain(FILLER.trim());
  expect(tokens).toBeLessThanOrEqual(750);
});

it('of a passage that fits nowhere, the sentences that answer are given and quoted', async () => {
  const answer = `${FILLER}${FILLER}The dimmer of the Lumo is reset by holding it for nine seconds. ${FILLER}${FILLER}`;
  fake.next({ pieces: ['Hold the dimmer of the Lumo for nine seconds to reset it [1].'] });
  const { system, tokens, message } = await askOf([['The Lumo', answer]], 'How is the dimmer reset?', 'one');
  expect(system).toContain('The dimmer of the Lumo is reset by holding it for nine seconds.');
  expect(system).not.toContain(FILLER + FILLER.trim());
  expect(tokens).toBeLessThanOrEqual(750);
  expect(JSON.parse(message.cite_data_json)['1'].text).toContain('nine seconds');
});

it('a language with a token for each character fills no more than there is', async () => {
  const said = '这盏灯由钢和玻璃制成,重两公斤,可以放在桌子上或挂在天花板上。'.repeat(8);
  const pairs = Array.from({ length: 9 }, (_, at): [string, string] => [
    `${at}号灯怎么样?`,
    `${at}号灯有长电线。${said}`,
  ]);
  const { system, tokens } = await askOf(pairs, '哪盏灯有长电线?', 'three');
  expect(system).toContain('号灯有长电线');
  expect(tokens).toBeLessThanOrEqual(2175);
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
