import { describe, expect, it } from 'vitest';
import { demoSite, pages } from '../../../demo/pages.ts';
import { siteOf } from '../site.ts';

const SHOP = await siteOf(Object.fromEntries(demoSite.learn.map((page) => [page, pages[page]!])));

describe('an answer that is not sure', () => {
  it('has no third quote that tells no further word of the question', async () => {
    const { text, citations } = await SHOP.answer('what if I lose the strap of my bag?');
    expect(text).toMatch(/^I am not sure\./);
    expect(Object.keys(citations)).toHaveLength(2);
  });

  it('has others that come as close as the first', async () => {
    const { text, citations } = await SHOP.answer('How big is the Ferryman?');
    expect(text).toContain('22 litres');
    expect(Object.keys(citations)).toHaveLength(3);
  });
});
