import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'index.html': `<title>Help</title><h1>Help</h1><h2>What would you like to know?</h2><ul><li><h3>Returns and exchanges</h3>
    <p>Changed your mind? How to send a bag back, and when your money follows.</p></li><li><h3>Warranty</h3>
    <p>What it covers.</p></li></ul>`,
  'returns.html': `<title>Returns</title><h1>Returns and exchanges</h1><p>A bag should suit the person on the bicycle.</p>
    <h2>How to send it back</h2><ol><li>Write to us for a label.</li><li>Pack the bag in any box.</li></ol>`,
});

it('quotes the page that answers, not the card that leads to it', async () => {
  const { text } = await SITE.answer('How do I send a bag back?');
  expect(text).toContain('1. Write to us for a label.');
  expect(text).not.toContain('Changed your mind');
});

it('quotes pages that are called the same', async () => {
  const page = (town: string, hours: string): string =>
    `<title>Museum ${town}</title><h1>Opening hours</h1><p>The museum in ${town} is open ${hours}.</p>`;
  const site = await siteOf({ 'a.html': page('Northam', 'from 9 to 5'), 'b.html': page('Southam', 'from 10 to 4') });
  expect((await site.answer('What are the opening hours?')).text).toMatch(/from 9 to 5|from 10 to 4/);
});
