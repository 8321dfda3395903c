import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'faq.html': `<title>Questions</title><h1>Questions</h1><h2>Lessons and discounts</h2><h3>Do you give lessons?</h3>
    <p>We don’t teach. There is a list of teachers in the shop, and we’ll gladly send it to you.</p>
    <h3>Do you give discounts?</h3><p>Pupils of the music school pay a tenth less.</p>`,
  'trying.html': `<title>Trying</title><h1>Trying at home</h1><h2>For a week</h2><p>You may take a violin home for a week
    and play it. Bring it to your lessons, and give it back with the case and the bow, so that we pay your deposit back.</p>
    <h2>Before you buy</h2><p>A violin wants to be played before it is bought, and shown to a teacher.</p>`,
  'index.html': `<title>The shop</title><h1>The shop</h1><p>We build and mend violins, violas and cellos on Eyre Lane.</p>`,
});

it('finds what stands below a question of the page that is nearly the same first, and quotes it', async () => {
  const { text } = await SITE.answer('Do you give violin lessons?');
  expect(text).toContain('Do you give lessons? We don’t teach.');
  expect(SITE.search('Do you give violin lessons?').found[0]?.headings.at(-1)).toBe('Do you give lessons?');
});

it('does not take a question about another thing for the same', async () => {
  const { text } = await SITE.answer('May I take a violin home?');
  expect(text).toContain('take a violin home for a week');
  expect(text).not.toContain('We don’t teach.');
});
