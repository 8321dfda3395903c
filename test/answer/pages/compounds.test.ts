import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const page = (text: string): Record<string, string> => ({
  'a.html': `<title>Manual</title><p>${text}</p>`,
  'b.html':
    '<title>Sewing</title><p>A thread that is safe from fire costs more, and so does data on the types of needles.</p>',
  'c.html':
    '<title>Sorts</title><p>Each of the sorts has its own colour, which you can see on the label of the box.</p>',
});

it.each([
  ['Is it thread safe?', 'The parser is threadsafe since May.'],
  ['Is it thread-safe?', 'The parser is threadsafe since May.'],
  ['Is it threadsafe?', 'The parser is thread safe since May.'],
  ['Is it threadsafe?', 'The parser is thread-safe since May.'],
  ['Which datatypes are there?', 'There are five data types, among them text.'],
  ['Which data types are there?', 'There are five datatypes, among them text.'],
  ['Which data type is the best?', 'There are five datatypes, the best is text.'],
  ['Is there wifi?', 'The house has free Wi-Fi in its hall.'],
  ['Wo ist der Zeit Plan?', 'Der Zeitplan hängt an der Tür.'],
])('%s: is answered by "%s"', async (question, text) => {
  const site = await siteOf(page(text));
  expect((await site.answer(question)).text).toContain(text);
});

it('finds both ways of writing where the site has both', async () => {
  const site = await siteOf({
    ...page('The parser is threadsafe since May.'),
    'd.html': '<title>Writer</title><p>The writer is not thread safe, nor thread aware.</p>',
    'e.html': '<title>Reader</title><p>The reader is thread safe in all its parts.</p>',
  });
  for (const question of ['Is the parser thread safe?', 'Is the parser threadsafe?']) {
    expect(site.search(question).found[0]?.text).toContain('parser');
  }
  for (const question of ['Is the reader thread safe?', 'Is the reader thread-safe?']) {
    expect(site.search(question).found[0]?.text).toContain('reader');
  }
});

it('splits no word into others that only happen to be there', async () => {
  const site = await siteOf({ 'a.html': '<title>Cars</title><p>Every car is washed. A pet may ride along.</p>' });
  expect(site.search('Is there a carpet?').query.terms.map(({ word }) => word)).toEqual(['carpet']);
});
