import { expect, it } from 'vitest';
import { buildPrompt } from '../../server/answer/prompt.ts';
import { queryOf } from './search.ts';

const rulesFor = (text: string): string =>
  buildPrompt({ agent: undefined, turns: [], found: [], query: queryOf(text), cite: true }).messages[0]!.content;

it('asks for a short answer to a greeting, though no passage is found for it', () => {
  const rules = rulesFor('hi');
  expect(rules).toMatch(/greeting.*needs no passage/);
  expect(rules).toContain('No passages were found');
  // Only what asks for something may end in “I do not know”.
  expect(rules).toMatch(
    /Where it asks for something that the passages do not hold, say this sentence and no other: “I don’t know/,
  );
});
