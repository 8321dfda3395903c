import { expect, it } from 'vitest';
import { MAX_BLOCKS } from '../../server/knowledge/readers/blocks.ts';
import { readHtml } from '../../server/knowledge/readers/html/html.ts';
import { readMarkdown } from '../../server/knowledge/readers/markdown.ts';
import { readPlain } from '../../server/knowledge/readers/plain.ts';

/** Beyond the bound by no more than what one slice of reading holds. */
const BOUND = MAX_BLOCKS * 1.2;

it.each([
  ['a page of nothing but paragraphs', readHtml, '<p>a'],
  ['a page of nothing but list items', readHtml, '<li>a'],
  ['Markdown of nothing but list items', readMarkdown, '- a\n'],
  ['a text of nothing but short paragraphs', readPlain, 'a\n\n'],
])('%s is read until a bound', { timeout: 60_000 }, async (_name, read, unit) => {
  const { blocks } = await read(unit.repeat(2 * MAX_BLOCKS));
  expect(blocks.length).toBeGreaterThanOrEqual(MAX_BLOCKS);
  expect(blocks.length).toBeLessThan(BOUND);
});
