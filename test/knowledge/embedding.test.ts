import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth, type Health } from '../../server/health/health.ts';
import { Ingestion } from '../../server/knowledge/ingest/ingest.ts';
import { createEmbedding } from '../../server/knowledge/ingest/embed.ts';
import { createEmbedder } from '../../server/model/embeddings.ts';
import type { Embedder } from '../../server/model/model.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../server/store/store.ts';
import { createWeb } from '../../server/web/web.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { until } from '../running.ts';
import { aChatbot, aSource } from '../store/records.ts';

const UNAVAILABLE = { status: 503, raw: ['{}'] };
const PAUSE_MS = 15_000;

let fake: FakeModel;
let embedder: Embedder;
let store: Store;
let knowledge: Ingestion;
let dir: string;
let now: number;
let logged: string[];
let health: Health;
let open: (retryDelays?: { first: number; max: number }) => Ingestion;
const chatbot = aChatbot('f'.repeat(32));

beforeEach(async () => {
  now = Date.now();
  logged = [];
  health = createHealth();
  const clock = () => now;
  const log = {
    info: (_: object, words: string) => logged.push(words),
    error: (_: object, words: string) => logged.push(words),
  };
  fake = await startFakeModel();
  embedder = createEmbedder({ baseUrl: fake.baseUrl, model: 'small', apiKey: undefined });
  dir = await mkdtemp(join(tmpdir(), 'docent-embedding-'));
  store = await openLowdbStore({ dir, clock });
  await store.createChatbot(chatbot, []);
  const web = createWeb({ allow: [], clock });
  open = (retryDelays) => new Ingestion({ store, web, clock, log, health, embedder, retryDelays });
  knowledge = open();
});
afterEach(async () => {
  await knowledge.close();
  await Promise.all([embedder.close(), store.close(), fake.close()]);
  await rm(dir, { recursive: true, force: true });
});

async function ingest(question: string, answer: string): Promise<string> {
  const meta_json = JSON.stringify({ question, answer });
  const source = aSource(chatbot.uuid, { type: 'qa', meta_json, title: question, identity: question, file_name: '' });
  await store.createSource(source);
  await knowledge.ingest(source);
  await until(
    () => store.source(source.uuid),
    (one) => one?.status === 'success',
  );
  return source.uuid;
}

const embeddedBy = async (uuid: string) => (await store.source(uuid))?.embedded_by ?? '';
const embeddedTextsOf = async (query: string) => {
  const before = fake.embedRequests.length;
  await knowledge.search(chatbot.uuid, query);
  return fake.embedRequests.slice(before).flatMap(({ body }) => body.input);
};
const embedded = (uuid: string) =>
  until(
    () => embeddedBy(uuid),
    (by) => by === 'small',
  );
const embeddingLogs = () => logged.filter((words) => words.includes('embeddings'));

describe('the embeddings server', () => {
  it('is logged once per outage, not requested during the backoff, and embeds what was missed on recovery', async () => {
    const early = await ingest('Umbrellas', 'They may be hired from noon.');
    await embedded(early);
    fake.embedScript = UNAVAILABLE;
    const late = await ingest('Lamps', 'They are made of brass.');
    await until(
      async () => embeddingLogs(),
      (said) => said.length > 0,
    );
    expect(await embeddedTextsOf('Is a brolly here?')).toEqual([]);
    expect(embeddingLogs()).toHaveLength(1);
    now += PAUSE_MS;
    expect(await embeddedTextsOf('Is a brolly there?')).toEqual(['Is a brolly there?']);
    expect(await embeddedTextsOf('Is a brolly there?')).toEqual([]);
    expect(embeddingLogs()).toHaveLength(1);
    expect(await embeddedBy(late)).toBe('');
    now += PAUSE_MS;
    fake.embedScript = undefined;
    expect(await embeddedTextsOf('Is a brolly anywhere?')).toContain('Is a brolly anywhere?');
    await embedded(late);
    expect(embeddingLogs()).toEqual([expect.stringContaining('by words alone'), 'the embeddings server answers again']);
  });

  it('embeds sources that were ingested during an outage once it is back, without a question or a restart', async () => {
    await knowledge.close();
    knowledge = open({ first: 20, max: 40 });
    fake.embedScript = UNAVAILABLE;
    const sources = [
      await ingest('Umbrellas', 'They may be hired from noon.'),
      await ingest('Lamps', 'They are made of brass.'),
    ];
    await until(
      async () => fake.embedRequests.length,
      (requests) => requests > 3,
    );
    expect(await Promise.all(sources.map(embeddedBy))).toEqual(['', '']);
    fake.embedScript = undefined;
    await Promise.all(sources.map(embedded));
    expect(await embeddedTextsOf('Is a brolly here?')).toEqual(['Is a brolly here?']);
    expect(embeddingLogs()).toEqual([expect.stringContaining('by words alone'), 'the embeddings server answers again']);
  });

  it('is reported as degraded with the reason while it fails, and no longer once a request succeeds', async () => {
    const early = await ingest('Umbrellas', 'They may be hired from noon.');
    await embedded(early);
    expect(health.state()).toEqual({ status: 'ok', reasons: [] });
    fake.embedScript = UNAVAILABLE;
    await embeddedTextsOf('Is a brolly here?');
    expect(health.state()).toEqual({
      status: 'degraded',
      reasons: ['the embedding server does not answer (status_503); questions are searched by words alone'],
    });
    now += PAUSE_MS;
    fake.embedScript = undefined;
    await embeddedTextsOf('Is a brolly there?');
    expect(health.state()).toEqual({ status: 'ok', reasons: [] });
  });

  it('is not sent a passage again after a restart, whose questions are searched by meaning at once', async () => {
    await embedded(await ingest('Umbrellas', 'They may be hired from noon.'));
    await embedded(await ingest('Lamps', 'They are made of brass.'));
    await knowledge.close();
    await store.close();
    store = await openLowdbStore({ dir, clock: () => now });
    knowledge = open();
    await knowledge.embedMissing();
    const before = fake.embedRequests.length;
    const { found } = await knowledge.search(chatbot.uuid, 'Is a parasol here?');
    expect(found[0]?.text).toMatch(/hired from noon/);
    const { found: byWords } = await knowledge.search(chatbot.uuid, 'Is a parasol here?', { wordsAlone: true });
    expect(byWords).toEqual([]);
    expect(fake.embedRequests.slice(before).flatMap(({ body }) => body.input)).toEqual(['Is a parasol here?']);
  });

  it('is not requested again after the knowledge is closed', async () => {
    await knowledge.close();
    knowledge = open({ first: 20, max: 20 });
    fake.embedScript = UNAVAILABLE;
    await ingest('Umbrellas', 'They may be hired from noon.');
    await until(
      async () => embeddingLogs(),
      (lines) => lines.length > 0,
    );
    await knowledge.close();
    // A retry that was under way arrives within this pause.
    await new Promise((done) => setTimeout(done, 100));
    const requests = fake.embedRequests.length;
    await new Promise((done) => setTimeout(done, 200));
    expect(fake.embedRequests).toHaveLength(requests);
  });

  it('is requested once for a repeated question, and not at all where no passage has a vector', async () => {
    expect(await embeddedTextsOf('Is a brolly here?')).toEqual([]);
    await embedded(await ingest('Umbrellas', 'They may be hired from noon.'));
    expect(await embeddedTextsOf('Is a brolly here?')).toEqual(['Is a brolly here?']);
    expect(await embeddedTextsOf(' Is a brolly here?')).toEqual([]);
    expect(await embeddedTextsOf('  ')).toEqual([]);
  });

  it('is not requested for a source that is relearned unchanged', async () => {
    const uuid = await ingest('Umbrellas', 'They may be hired from noon.');
    await embedded(uuid);
    await knowledge.embedMissing();
    expect(fake.embedRequests).toHaveLength(1);
    expect(fake.embedRequests[0]!.body.input).toEqual(['Umbrellas\nThey may be hired from noon.']);
  });
});

it('caches the vectors of 256 questions and drops the one used least recently', async () => {
  const embedded: string[] = [];
  const counting: Embedder = {
    model: 'small',
    sentences: 8,
    async embed(texts) {
      embedded.push(...texts);
      return texts.map(() => Float32Array.of(1));
    },
    close: async () => {},
  };
  const log = { info: () => {}, error: () => {} };
  const indexes = {} as Parameters<typeof createEmbedding>[0]['indexes'];
  const embedding = createEmbedding({
    store,
    indexes,
    embedder: counting,
    clock: () => now,
    log,
    onRecovery: () => {},
  });
  for (let at = 0; at < 256; at += 1) await embedding.question(`question ${at}`);
  await embedding.question('question 0');
  await embedding.question('question 256');
  await embedding.question('question 0');
  expect(embedded).toHaveLength(257);
  await embedding.question('question 1');
  expect(embedded.at(-1)).toBe('question 1');
});
