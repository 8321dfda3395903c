import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const BAKERY = await siteOf({
  wholesale: `<title>Wholesale</title><h1>Wholesale</h1><h2>Where we deliver</h2>
    <ul><li>The old town, before six.</li><li>The harbour, before seven.</li></ul>
    <p>We do not deliver on Sundays, and no other districts yet.</p>`,
  bread: `<title>Bread</title><h1>Bread</h1><p>Every loaf keeps for four days. It freezes well.</p>`,
});

it('what somebody does is not answered by what they do not', async () => {
  const { text } = await BAKERY.answer('Which districts do you deliver to?');
  expect(text).toContain('The old town, before six.');
  expect(text).toContain('The harbour, before seven.');
});

it.each(['On which days do you not deliver?', 'Do you deliver on Sundays?'])(
  'a denial answers where it is asked for: %s',
  async (question) => {
    expect((await BAKERY.answer(question)).text).toContain('We do not deliver on Sundays');
  },
);
