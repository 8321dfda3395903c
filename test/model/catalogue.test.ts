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
  const models = { 'llm-small': { credits: 2 }, 'my-own': { credits: 7 }, 'llm-4o-8k': {} };
  const { costs, credits } = createCatalogue({ models });
  expect(costs).toEqual({ 'llm-small': 2, 'my-own': 7, 'llm-4o-8k': 20, 'gpt-small': 2, 'gpt-4o-8k': 20 });
  expect([credits('gpt-small'), credits('my-own'), credits('unheard-of'), credits('llm-4o-16k')]).toEqual([2, 7, 1, 1]);
});

test('the context is what the operator says, or what the name ends with, or that of the default model', () => {
  const table = createCatalogue({ namesTellContext: true });
  const names = [
    'llm-4-1106-preview-1k',
    'gpt-4o-16k',
    'LLM-4O-2K',
    'llm-3.5-turbo',
    'qwen3:8b',
    'my-own-128k',
    'x-0k',
  ];
  expect(names.map(table.context)).toEqual([1024, 16_384, 2048, 4096, 4096, 131_072, 4096]);
  const models = { 'llm-4o-16k': { context: 20_000 }, 'llm-4o-mini-4k': { context: 32_768 } };
  const own = createCatalogue({ models, namesTellContext: true });
  expect(['llm-4o-16k', 'gpt-4o-16k', 'llm-4o-8k', 'qwen3:8b'].map(own.context)).toEqual([
    20_000, 20_000, 8192, 32_768,
  ]);
});

test('the context has no limit where one model serves all names', () => {
  expect(['llm-4-1106-preview-1k', 'qwen3:8b'].map(createCatalogue().context)).toEqual([Infinity, Infinity]);
});

test('the name at the server is that of the entry, or of the default model', () => {
  const models = { 'llm-4o-mini-4k': { name: 'small' }, 'llm-4o-16k': { name: 'large' }, 'llm-4o-8k': {} };
  const { nameAtServer } = createCatalogue({ models });
  expect(['gpt-4o-16k', 'llm-4o-8k', 'unheard-of', 'toString'].map(nameAtServer)).toEqual([
    'large',
    undefined,
    'small',
    'small',
  ]);
  expect(createCatalogue().nameAtServer('llm-4o-16k')).toBeUndefined();
});

test('an entry of a family name wins over that of its neutral name', () => {
  const { costs } = createCatalogue({ models: { 'gpt-4o-8k': { credits: 3 }, 'llm-4o-8k': { credits: 5 } } });
  expect(costs).toEqual({ 'gpt-4o-8k': 3, 'llm-4o-8k': 5 });
});
