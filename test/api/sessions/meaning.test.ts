import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queryRows } from '../../engine/engine.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';

/** The question of `ASKED` shares no word with the answer that fits, but two directions. */
const UMBRELLAS = { question: 'Umbrellas', answer: 'Umbrellas may be hired from noon.' };
const LAMPS = { question: 'Lamps', answer: 'Lamps are made of brass in our own workshop.' };
const ASKED = 'Where can I borrow a brolly?';

let fake: FakeModel;
let dir: string;
let docent: Running | undefined;

beforeEach(async () => {
  fake = await startFakeModel({ script: { pieces: ['From noon.'] } });
  dir = await mkdtemp(join(tmpdir(), 'docent-'));
});
afterEach(async () => {
  await docent?.stop();
  docent = undefined;
  await fake.close();
  await rm(dir, { recursive: true, force: true });
});

const llm = () => ({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', LLM_API_KEY: 'the-key-of-the-model' });
const embedding = (model = 'small') => ({ LLM_BASE_URL: fake.baseUrl, EMBED_MODEL: model });

async function open(env: NodeJS.ProcessEnv): Promise<Running> {
  await docent?.stop();
  docent = await start({ DATA_DIR: dir, ...env });
  return docent;
}

async function chatbotWith(server: Running, sources: object[]): Promise<string> {
  const { uuid } = (await server.api('POST', '/chatbot/create', { name: 'Hire', show_citations: true })).body;
  for (const source of sources) await server.api('POST', `/chatbot/${uuid}/data-source/qa`, source);
  const all = () => server.api('GET', `/chatbot/${uuid}/data-sources`).then((reply) => reply.body);
  await until(all, (list) => list.every(({ status }: { status: string }) => status === 'success'));
  return uuid;
}

async function ask(server: Running, chatbot: string, query = ASKED): Promise<string> {
  const session = (await server.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  return (await server.api('POST', `/session/${session}/message/non-stream`, { query })).body.response;
}

/** What the model was shown last. */
const shown = (): string => fake.requests.at(-1)!.body.messages[0]!.content;

/** The models that the stored sources have vectors by. */
async function embeddedBy(): Promise<string[]> {
  const rows = await queryRows(dir, 'select model from vectors');
  if (rows) return rows.map(({ model }) => model as string);
  const names = await readdir(join(dir, 'sources'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.vectors.json'));
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(dir, 'sources', name), 'utf8')).model as string),
  );
}

const embedded = (by: string, count = 2) =>
  until(embeddedBy, (models) => models.length === count && models.every((model) => model === by));

/** Asks until the umbrellas are found by their meaning: vectors are searched a little after they are on disk. */
const foundByMeaning = (server: Running, chatbot: string): Promise<string> =>
  until(
    () => ask(server, chatbot),
    (answer) => (fake.requests.length > 0 ? shown().includes('from noon') : answer.includes('from noon')),
  );

describe('with EMBED_MODEL', () => {
  it('a question finds the passage that it shares no word with, and does not without', async () => {
    const plain = await open(llm());
    const chatbot = await chatbotWith(plain, [LAMPS, UMBRELLAS]);
    await ask(plain, chatbot);
    expect(shown()).not.toContain('from noon');
    expect(fake.embedRequests).toEqual([]);
    expect(await embeddedBy()).toEqual([]);

    const server = await open({ ...llm(), ...embedding() });
    await embedded('small');
    await foundByMeaning(server, chatbot);
    expect(shown()).toMatch(/\[1\][^[]*from noon/);
    expect(fake.embedRequests[0]!.headers.authorization).toBe('Bearer the-key-of-the-model');
  });

  it('and no LLM_MODEL, what is near in meaning is quoted', async () => {
    const server = await open(embedding());
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    expect(await foundByMeaning(server, chatbot)).toMatch(/Umbrellas may be hired from noon\. \[1\]$/);
    expect(await ask(server, chatbot, 'What are lamps made of?')).toContain('brass in our own workshop. [1]');
    expect(fake.requests).toEqual([]);
    const plain = await open({});
    expect(await ask(plain, chatbot)).not.toContain('Umbrellas');
  });

  it('small talk is answered without it', async () => {
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    const before = fake.embedRequests.length;
    expect(await ask(server, chatbot, 'Hello!')).toMatch(/^Hello/);
    expect(fake.embedRequests.slice(before)).toEqual([]);
  });

  it('another model embeds everything anew, and the same one nothing', async () => {
    const chatbot = await chatbotWith(await open(embedding('small')), [LAMPS, UMBRELLAS]);
    await embedded('small');
    const server = await open({ ...llm(), ...embedding('large') });
    await embedded('large');
    await foundByMeaning(server, chatbot);
    const before = fake.embedRequests.length;
    await open(embedding('large'));
    await ask(docent!, chatbot);
    // The question, and the sentences of what may answer it.
    const inputs = fake.embedRequests.slice(before).map(({ body }) => body.input);
    expect(inputs[0]).toEqual([ASKED]);
    expect(inputs.slice(1)).toEqual([[UMBRELLAS.answer, LAMPS.answer]]);
  });

  it('a server that fails leaves words, is left alone for a while, and gives vectors at the next start', async () => {
    fake.embedScript = { status: 500, raw: ['{}'] };
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    // Both may have been on their way when the first of them failed.
    const tried = await until(
      async () => fake.embedRequests.length,
      (count) => count > 0,
    );
    expect(tried).toBeLessThanOrEqual(2);
    for (const query of ['What are lamps made of?', ASKED]) await ask(server, chatbot, query);
    expect(fake.requests[0]!.body.messages[0]!.content).toContain('brass');
    expect(await embeddedBy()).toEqual([]);
    expect(fake.embedRequests.length).toBeLessThanOrEqual(2);
    expect(fake.embedRequests.flatMap(({ body }) => body.input)).not.toContain(ASKED);
    fake.embedScript = undefined;
    await open({ ...llm(), ...embedding() });
    await embedded('small');
    await foundByMeaning(docent!, chatbot);
  });

  it('a source that the server does not take is found by its words, and keeps no other from its meaning', async () => {
    const server = await open({ ...llm(), ...embedding() });
    fake.nextEmbedding(...Array.from({ length: 4 }, () => ({ status: 400, raw: ['{}'] })));
    const chatbot = await chatbotWith(server, [LAMPS]);
    await until(
      async () => fake.embedRequests.length,
      (count) => count === 4,
    );
    await server.api('POST', `/chatbot/${chatbot}/data-source/qa`, UMBRELLAS);
    await embedded('small', 1);
    await foundByMeaning(server, chatbot);
    await ask(server, chatbot, 'What are lamps made of?');
    expect(shown()).toContain('brass');
  });

  it('a question waits for its meaning only so long, and the next one does not ask for it', async () => {
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    fake.embedScript = { hangAfter: 0 };
    await ask(server, chatbot, 'What are lamps made of?');
    expect(shown()).toContain('brass');
    await ask(server, chatbot, 'Is brass what lamps are made of?');
    expect(fake.embedRequests.filter(({ body }) => body.input[0]!.endsWith('?'))).toHaveLength(1);
    // Below the minute that the embedding server's own limit is.
  }, 30_000);

  it('a follow-up is understood with the question before it', async () => {
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    await foundByMeaning(server, chatbot);
    const session = (await server.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    for (const query of [ASKED, 'When?']) await server.api('POST', `/session/${session}/message/non-stream`, { query });
    expect(fake.embedRequests.at(-1)!.body.input).toEqual([`${ASKED}\nWhen?`]);
    expect(shown()).toContain('from noon');
  });

  it('an agent keeps to its sources, however near others are', async () => {
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    await foundByMeaning(server, chatbot);
    const [agent] = (await server.api('GET', `/chatbot/${chatbot}/agents`)).body;
    const [lamps] = (await server.api('GET', `/chatbot/${chatbot}/data-sources`)).body;
    await server.api('POST', `/agent/${agent.uuid}/update`, {
      use_all_sources: false,
      data_source_uuids: [lamps.uuid],
    });
    await ask(server, chatbot);
    expect(shown()).toContain('brass');
    expect(shown()).not.toContain('from noon');
  });

  it('a source is found by its meaning under another title, and no more when it is gone', async () => {
    const server = await open({ ...llm(), ...embedding() });
    const chatbot = await chatbotWith(server, [LAMPS, UMBRELLAS]);
    await embedded('small');
    await foundByMeaning(server, chatbot);
    const umbrellas = (await server.api('GET', `/chatbot/${chatbot}/data-sources`)).body[1].uuid;
    await server.api('POST', `/data-source/${umbrellas}/update`, { title: 'Against the rain' });
    await until(
      () => ask(server, chatbot),
      () => shown().includes('Against the rain') && shown().includes('from noon'),
    );
    await server.api('POST', `/data-source/${umbrellas}/delete`);
    await ask(server, chatbot);
    expect(shown()).not.toContain('from noon');
    expect(await embeddedBy()).toEqual(['small']);
  });
});
