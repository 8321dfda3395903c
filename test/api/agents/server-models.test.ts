import { expect, it } from 'vitest';
import { OTHER_KEY, startApiFixture, type ApiFixture } from '../api-fixture.ts';
import { startFakeModel } from '../../fakes/model.ts';

/** What the operator is told of the model servers. */

const KEY = 'the-key-of-the-model-server';
const LIST = '/api/v1/server/models';
const check = async (w: ApiFixture) => (await w.call('POST', `${LIST}/test`)).body.checks;

async function withModels(act: (w: ApiFixture, model: Awaited<ReturnType<typeof startFakeModel>>) => Promise<void>) {
  const model = await startFakeModel();
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small', LLM_API_KEY: KEY, EMBED_MODEL: 'vectors' };
  const w = await startApiFixture(env);
  await act(w, model).finally(async () => {
    await w.stop();
    await model.close();
  });
}

it('says without a model that there is none', async () => {
  const w = await startApiFixture();
  expect((await w.call('GET', LIST)).body).toEqual({ models: [] });
  expect(await check(w)).toEqual([]);
  await w.stop();
});

it('names model and host to the operator alone, and never the key', async () => {
  await withModels(async (w, { baseUrl }) => {
    const host = new URL(baseUrl).host;
    const reply = await w.call('GET', LIST);
    expect(reply.body.models).toEqual([
      { kind: 'chat', model: 'small', host },
      { kind: 'embeddings', model: 'vectors', host },
    ]);
    expect((await w.call('GET', LIST, undefined, OTHER_KEY)).status).toBe(403);
    expect((await w.call('POST', `${LIST}/test`, undefined, OTHER_KEY)).status).toBe(403);
    const checks = await check(w);
    expect(checks).toMatchObject([
      { kind: 'chat', is_fine: true, problem: '', advice: '' },
      { kind: 'embeddings', is_fine: true, problem: '', advice: '' },
    ]);
    expect(JSON.stringify([reply.body, checks])).not.toContain(KEY);
  });
});

it('says what is wrong: key, model, quota, another interface, an error of the server', async () => {
  await withModels(async (w, model) => {
    const host = new URL(model.baseUrl).host;
    for (const [script, problem, advice] of [
      [{ status: 401, raw: [`{"error":"bad key ${KEY}"}`] }, `${host} refuses the key (status 401).`, 'LLM_API_KEY'],
      [{ status: 404, raw: ['{}'] }, `${host} does not know the model small`, 'LLM_MODEL'],
      [{ status: 400, raw: ['{}'] }, `${host} refuses the request (status 400).`, 'LLM_MODEL'],
      [{ status: 429, raw: ['{}'] }, `${host} has too much to do`, 'limits'],
      [{ status: 500, raw: ['{}'] }, `${host} answers with the error 500.`, 'log'],
      [{ raw: ['<!doctype html><p>Welcome'] }, `What ${host} answers is not as the OpenAI interface says.`, '/v1'],
    ] as const) {
      // What a client sends again gets the same.
      model.next({ ...script, raw: [...script.raw] }, { ...script, raw: [...script.raw] });
      const [chat] = await check(w);
      model.clear();
      expect([chat.is_fine, chat.problem.startsWith(problem)], chat.problem).toEqual([false, true]);
      expect(chat.advice).toContain(advice);
      expect(JSON.stringify(chat)).not.toContain(KEY);
    }
    model.nextEmbedding({ status: 401, raw: ['{}'] });
    const [, embeddings] = await check(w);
    expect(embeddings).toMatchObject({ is_fine: false, problem: `${host} refuses the key (status 401).` });
    await model.close();
    const [gone] = await check(w);
    expect(gone.problem).toBe(`${host} cannot be reached.`);
  });
});
