import { expect, test } from 'vitest';
import { functionByExample } from '../../server/agents/tool-examples.ts';
import { newFunction } from '../../server/agents/tool-functions.ts';
import lookups from './outside/lookups.json';

const variable = (name: string, description: string, example: string) => ({
  name,
  description,
  example,
  type: 'string' as const,
  default_value: { content: '', static: 0 as const },
});
const VARIABLES = [
  variable('order', 'Number of the order', 'BB-10234'),
  variable('email', 'E-mail address of the visitor', ''),
  variable('phone', 'Where to call back', '030 1234567'),
];
const functions = Object.entries(lookups.functions).map(([name, examples]) =>
  newFunction({ name, external_url: 'https://shop.example/' }, { method: 'GET', meta: { examples } }, Date.now),
);
const called = (message: string) => functionByExample(functions, message, VARIABLES)?.name;

// Written before the code that they judge: before it, 2 of the 24 were called.
test('a function is called by what is asked in its examples, whatever the values are', () => {
  expect(lookups.calls).toHaveLength(24);
  const missed = lookups.calls.filter(([message, due]) => called(message!) !== due).map(([message]) => message);
  expect(missed).toEqual(["what's the status of my order", 'Wo bleibt meine Bestellung BB-50077?']);
});

test('none is called by what asks for something else with the same values', () => {
  expect(lookups.others).toHaveLength(25);
  expect(lookups.others.filter(called)).toEqual([]);
});
