import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { start, type Running } from '../running.ts';

let folder: string;
let fake: FakeModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-models-'));
  fake = await startFakeModel();
});
afterAll(async () => {
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'models.json');

test.each([
  ['{', /must be JSON: /],
  ['[]', /must be a JSON object/],
  ['{}', /an entry for each model name/],
  ['{"two words":{}}', /"two words"/],
  ['{"llm-4o-8k":7}', /llm-4o-8k must be an object/],
  ['{"llm-4o-8k":{"credits":-1}}', /llm-4o-8k\.credits must be a whole number from 0 to 999999/],
  ['{"llm-4o-8k":{"context":"8k"}}', /llm-4o-8k\.context must be a whole number/],
  ['{"llm-4o-8k":{"name":""}}', /llm-4o-8k\.name must be a string of 1 to 200 characters/],
  ['{"llm-4o-8k":{"contxt":8000}}', /llm-4o-8k\.contxt: a model has credits, context and name/],
])('%s stops the start with a message that names file and key', async (text, message) => {
  await writeFile(file(), text);
  const starting = (): unknown => readConfig({ MODELS_FILE: file() });
  expect(starting).toThrow(message);
  expect(starting).toThrow(`MODELS_FILE (${file()})`);
});

test('a file that is not there, and MODEL_CREDITS beside one, stop the start', () => {
  expect(() => readConfig({ MODELS_FILE: join(folder, 'none.json') })).toThrow(/none\.json\) .* ENOENT/);
  expect(() => readConfig({ MODELS_FILE: file(), MODEL_CREDITS: 'llm-4o-1k=3' })).toThrow(
    /^MODEL_CREDITS must be unset/,
  );
});

/** A chatbot whose only agent has this model, and the message of one question to it. */
async function askWith(docent: Running, model: string) {
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: model })).body.uuid;
  const [agent] = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body;
  await docent.api('POST', `/agent/${agent.uuid}/update`, { model });
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  await docent.api('POST', `/session/${session}/message/stream`, { query: 'What does it do?' });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { sent: fake.requests.at(-1)?.body.model, credits: JSON.parse(message.meta_json).credits };
}

test('the model of the agent decides which name is sent, and the credits', async () => {
  const models = {
    'llm-4o-16k': { credits: 9, name: 'large:70b' },
    'house-model': { credits: 2 },
    'llm-4o-mini-4k': { credits: 1, name: 'small:8b', context: 8192 },
  };
  await writeFile(file(), JSON.stringify(models));
  const docent = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', MODELS_FILE: file() });
  expect(await askWith(docent, 'gpt-4o-16k')).toEqual({ sent: 'large:70b', credits: 9 });
  expect(await askWith(docent, 'house-model')).toEqual({ sent: 'fake-1', credits: 2 });
  expect(await askWith(docent, 'unheard-of')).toEqual({ sent: 'small:8b', credits: 1 });
  expect((await docent.api('GET', '/agent/models')).body).toEqual({
    models: ['llm-4o-16k', 'house-model', 'llm-4o-mini-4k', 'gpt-4o-16k', 'gpt-4o-mini-4k'],
  });
  expect((await docent.api('GET', '/agent/model-costs')).body.model_costs).toMatchObject({ 'gpt-4o-16k': 9 });
  await docent.stop();
});

test('without the file LLM_MODEL is sent for every model, and the table has the credits', async () => {
  const docent = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1' });
  expect(await askWith(docent, 'llm-4o-16k')).toEqual({ sent: 'fake-1', credits: 40 });
  await docent.stop();
});
