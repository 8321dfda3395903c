import { expect, it } from 'vitest';
import { stemsFor } from '../../server/knowledge/text/stems.ts';
import { rootOf } from '../../server/knowledge/text/tokenizer.ts';

it('finds the same root before and after a page brings its stemmer, once it is there', async () => {
  // A question in Russian, on a site that is English so far.
  expect(rootOf('возврат', 'ru')).toBe('возврат');
  expect(rootOf('возвраты', 'ru')).toBe('возвраты');
  await stemsFor('Возвраты в течение тридцати дней.');
  expect(rootOf('возвраты', 'ru')).toBe(rootOf('возврат', 'ru'));
});
