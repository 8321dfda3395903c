import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const TEXT = 'Telephone: 01632 960 123. Fax: 01633 960 124. E-mail: desk@museum.example.';

it.each([
  ['What is your phone number?', '01632'],
  ['Do you have a fax number?', '01633'],
  ['Which e-mail address do you have?', 'desk@'],
])('%s: is answered by a page that has no word for the number or the address', async (question, detail) => {
  const site = await siteOf({ 'contact.html': `<title>Contact</title><p>${TEXT}</p>` });
  const { text } = await site.answer(question);
  expect(text).toContain(detail);
  expect(text).not.toContain('not sure');
});
