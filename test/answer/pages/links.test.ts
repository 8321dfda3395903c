import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

/** A shop whose products lead to one another, read and answered as the server does it. */

const product = (name: string, text: string, ...others: string[]): string =>
  `<title>${name}</title><main><h1>${name}</h1><p>${text}</p><h2>Details</h2><table><tr><th>Weight</th><td>1.2 kg</td></tr></table>
  <h2>Others looked at</h2><ul>${others.map((other) => `<li><a href="/${other}">${other}</a></li>`).join('')}</ul></main>`;

const SITE = await siteOf({
  'index.html': `<title>Brewhouse</title><main><h1>Brewhouse</h1><p>We repair whatever we sell.</p>
    <h2>Our grinders</h2><ul><li><a href="/m30">Mill 30 grinder</a></li><li><a href="/m40">Mill 40 grinder</a></li></ul>
    <h2>Reach us</h2><ul><li><a href="mailto:desk@brew.example">desk@brew.example</a></li>
    <li><a href="tel:+4412345678">012 345 678</a></li></ul></main>`,
  'm30.html': product(
    'Mill 30 grinder',
    'It grinds for filters. The burrs are of steel.',
    'Mill 40 grinder',
    'Copper kettle',
  ),
  'm40.html': product(
    'Mill 40 grinder',
    'It grinds for espresso. The burrs are ceramic.',
    'Mill 30 grinder',
    'Copper kettle',
  ),
  'kettle.html': product(
    'Copper kettle',
    'It holds a litre, and boils in six minutes.',
    'Mill 30 grinder',
    'Mill 40 grinder',
  ),
  'sale.html': `<title>Seconds</title><main><h1>Seconds</h1><ul><li><a href="/dented">Dented teapot</a></li>
    <li><a href="/chipped">Chipped saucer</a></li></ul></main>`,
});

describe('a list of links to other pages', () => {
  it.each(['tell me about the mill 30', 'mill 30 quiet?', 'is the copper kettle heavy', 'mill 40 grinder'])(
    'is neither quoted nor above the page that the question names: “%s”',
    async (question) => {
      expect((await SITE.answer(question)).text).not.toMatch(
        /(?:Mill \d0 grinder|Copper kettle): .*(?:- )?(?:Mill|Copper)/,
      );
      expect(SITE.search(question).found[0]!.headings).not.toContain('Others looked at');
    },
  );

  it('answers where its heading has the words of the question', async () => {
    expect((await SITE.answer('which grinders do you have?')).text).toContain('- Mill 30 grinder\n- Mill 40 grinder');
  });

  it('answers where its page has nothing else, and where nothing else does', async () => {
    expect((await SITE.answer('Do you sell seconds?')).text).toMatch(/Dented teapot[^]*Chipped saucer/);
    expect((await SITE.answer('Where is the dented teapot?')).text).toContain('Dented teapot');
  });

  it('is none where its links are addresses of mail and telephone numbers', async () => {
    expect((await SITE.answer('brew desk address')).text).toContain('desk@brew.example');
    const found = SITE.search('brew desk address').found.find(({ headings }) => headings.includes('Reach us'));
    expect(found!.match.leadsAway).toBe(false);
  });
});
