import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

it('the models are listed, and what they cost, under both prefixes', async () => {
  const { models } = (await docent.api('GET', '/agent/models')).body;
  const { status, body } = await docent.api('GET', '/agent/model-costs');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['model_costs']);
  expect(Object.keys(body.model_costs)).toEqual(models);
  expect(models).toHaveLength(28);
  expect(body.model_costs).toMatchObject({ 'llm-4o-mini-4k': 1, 'gpt-4o-mini-4k': 1, 'llm-4-0125-preview-8k': 35 });
});

it('the operator names the prefix and the models', async () => {
  const other = await start({ MODEL_PREFIX: 'acme-', MODEL_CREDITS: 'llm-small=2,house=0' });
  expect((await other.api('GET', '/agent/models')).body).toEqual({ models: ['llm-small', 'house', 'acme-small'] });
  expect((await other.api('GET', '/agent/model-costs')).body).toEqual({
    model_costs: { 'llm-small': 2, house: 0, 'acme-small': 2 },
  });
  await other.stop();
});

it('the owner of the key is told', async () => {
  expect((await docent.api('GET', '/user')).body).toEqual({ data: { email: 'owner@localhost' } });
});

it('the chatbots are listed in order of creation, those deleted left out', async () => {
  expect((await docent.api('GET', '/chatbots')).body).toEqual([]);
  const made = [];
  for (const name of ['C', 'A', 'B']) made.push((await docent.api('POST', '/chatbot/create', { name })).body);
  expect((await docent.api('GET', '/chatbots')).body).toEqual(made);
  await docent.api('DELETE', `/chatbot/${made[1].uuid}/delete`);
  expect((await docent.api('GET', '/chatbots')).body).toEqual([made[0], made[2]]);
});
