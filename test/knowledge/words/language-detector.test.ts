import { afterAll, expect, it, vi } from 'vitest';
import { QueryLanguage } from '../../../server/knowledge/text/detect-language.ts';

const load = vi.hoisted(() => vi.fn());
vi.mock('tinyld', (original) => {
  load();
  return original();
});
afterAll(() => vi.doUnmock('tinyld'));

it('loads the detector by letters for a question whose words do not tell its language, and for no other', async () => {
  for (const text of [
    'How long is the warranty?',
    'Wie lange dauert es, und was kostet das?',
    'Как да върна стола?',
    '',
  ]) {
    const language = new QueryLanguage(text);
    await language.load();
    language.replyLanguage([]);
    expect(load, text).not.toHaveBeenCalled();
  }
  const unclear = new QueryLanguage('Hvordan betaler jeg?');
  await unclear.load();
  expect(load).toHaveBeenCalledOnce();
  expect(unclear.replyLanguage([], ['da'])).toBe('da');
  expect(unclear.replyLanguage([], ['nb'])).toBe('nb');
});
