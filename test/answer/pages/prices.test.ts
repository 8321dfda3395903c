import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

/** A shop whose products have a price in a line of its own below their names. */

const product = (name: string, price: string, text: string): string =>
  `<title>${name} | Larkfield Music</title><main><h1>${name}</h1><p class="price">${price}</p><p>${text}</p>
  <h2>Details</h2><table><tr><th>Weight</th><td>1.2 kg</td></tr><tr><th>Wood</th><td>spruce</td></tr></table></main>`;

const SITE = await siteOf({
  'about.html': `<title>About us | Larkfield Music</title><main><h1>About us</h1><p>We build and mend instruments by the river.</p></main>`,
  'a4.html': product(
    'Aria 4 ukulele',
    '£249.00',
    'A tenor with a warm tone. A padded bag is not included and costs £19.',
  ),
  'a5.html': product('Aria 5 ukulele', '£189.00', 'A concert size for small hands. Strings are of nylon.'),
  'bow.html': product('Curlew violin bow', 'from £64 each', 'Of snakewood. New hair costs £35 in our workshop.'),
  'stand.html': product('Folding stand', 'Folds flat in its bag', 'It holds two kilos.'),
  'repairs.html': `<title>Repairs | Larkfield Music</title><main><h1>Repairs</h1><p>We mend what others sold, too.</p>
    <table><tr><th>Repair</th><th>Price</th></tr><tr><td>New bridge for a ukulele</td><td>£28</td></tr></table></main>`,
});

describe('a price in a line of its own below the name of a thing', () => {
  it.each([
    ['price of Aria 4 ukulele', 'Aria 4 ukulele: £249.00 [1]'],
    ['How much is the Aria 4?', 'Aria 4 ukulele: £249.00 [1]'],
    ['what does the aria 4 ukulele cost', 'Aria 4 ukulele: £249.00 [1]'],
    ['Aria 5 ukulele price', 'Aria 5 ukulele: £189.00 [1]'],
    ['What does the curlew bow cost?', 'Curlew violin bow: from £64 each [1]'],
    ['Was kostet Aria 5?', 'Aria 5 ukulele: £189.00 [1]'],
  ])('is all of the answer, and sure: “%s”', async (question, price) => {
    expect((await SITE.answer(question)).text).toBe(price);
  });

  it('is told of each thing that the question may mean', async () => {
    expect((await SITE.answer('how much is an Aria ukulele?')).text).toMatch(/£(?:249|189)\.00[^]*£(?:249|189)\.00/);
  });

  it('is no answer to what asks for something else, or for the price of a part', async () => {
    expect((await SITE.answer('Which wood is the Aria 4 of?')).text).not.toContain('£249.00');
    expect((await SITE.answer('How much is a bag for the Aria 4?')).text).toContain('£19');
    expect((await SITE.answer('How much is new hair for the curlew bow?')).text).toContain('£35');
  });

  it('is not made up where the line tells something else', async () => {
    expect((await SITE.answer('price of the folding stand')).text).not.toMatch(
      /^Folding stand: Folds flat in its bag \[1\]$/,
    );
  });
});
