import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const LIBRARY = await siteOf({
  loans: `<title>Loans</title><h1>Loans</h1><p>A DVD may be kept for one week. Books may be kept for a month.</p>`,
  files: `<title>Printing</title><h1>Printing</h1><p>PDFs are printed at the desk. Photos are printed upstairs.</p>`,
});

it.each([
  ['How long can I keep DVDs?', 'A DVD may be kept for one week.'],
  ['can i keep dvds', 'A DVD may be kept for one week.'],
  ['Where can I print a PDF?', 'PDFs are printed at the desk.'],
])('the plural of an abbreviation is the same word: %s', async (question, answer) => {
  expect((await LIBRARY.answer(question)).text).toContain(answer);
});
