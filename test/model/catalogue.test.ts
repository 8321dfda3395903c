import { expect, test } from 'vitest';
import { createCatalogue, DEFAULT_MODEL } from '../../server/model/catalogue.ts';

test('a model costs the same under the neutral and under the family prefix', () => {
  const { credits } = createCatalogue();
  expect([credits('llm-4o-16k'), credits('gpt-4o-16k')]).toEqual([40, 40]);
  expect([credits('llm-4-0125-preview-8k'), credits('gpt-4-0125-preview-8k')]).toEqual([35, 35]);
});

test('the operator names the family prefix', () => {
  const { credits, costs } = createCatalogue({ familyPrefix: 'acme-' });
  expect(credits('acme-4o-4k')).toBe(10);
  expect(costs).toHaveProperty('acme-4o-4k', 10);
  expect(costs).not.toHaveProperty('gpt-4o-4k');
});

test('a name outside the catalogue costs what the default model costs', () => {
  const { credits } = createCatalogue();
  expect(credits('my-own-model')).toBe(credits(DEFAULT_MODEL));
  expect(credits('constructor')).toBe(credits(DEFAULT_MODEL));
});

test('every model of the interface is there under both prefixes', () => {
  const models = Object.keys(createCatalogue().costs);
  expect(models).toHaveLength(28);
  expect(models).toEqual(expect.arrayContaining(['llm-3.5-turbo', 'gpt-3.5-turbo', 'gpt-4o-mini-16k']));
});

test('the operator names the models and their costs', () => {
  const { costs, credits } = createCatalogue({ credits: { 'llm-small': 2, 'my-own': 7 } });
  expect(costs).toEqual({ 'llm-small': 2, 'my-own': 7, 'gpt-small': 2 });
  expect([credits('gpt-small'), credits('my-own'), credits('unheard-of')]).toEqual([2, 7, 1]);
});
