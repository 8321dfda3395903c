import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const PRACTICE = await siteOf({
  hours: '<title>Hours</title><h1>Hours</h1><h2>When we are closed</h2><p>On bank holidays and on 24 December.</p>',
  after: `<title>Aftercare</title><h1>Aftercare</h1><h2>Tobacco</h2><p>No smoking for three days, and no vaping.</p>
    <h2>Rinsing</h2><p>From the next morning, with warm salt water.</p>`,
  access: `<title>Getting in</title><h1>Getting in</h1><h2>Entrance</h2><p>A ramp is kept inside. Press the lower bell.</p>
    <h2>Bicycles</h2><p>The rack is behind the house.</p>`,
  plan: `<title>Membership</title><h1>Membership</h1><h2>Complaints</h2><p>Write to Lorna, who answers within a week.</p>
    <h2>Leaving</h2><p>Leave at any time with a month of notice.</p>`,
});

describe('a question in everyday words', () => {
  it.each([
    ['on which days are you shut?', 'bank holidays'],
    ['can I have a cigarette?', 'No smoking for three days'],
    ['I use a wheelchair', 'A ramp is kept inside'],
    ['I am unhappy with the work', 'Write to Lorna'],
    ['how do I quit?', 'a month of notice'],
  ])('finds what the page says in others: %s', async (question, answer) => {
    expect((await PRACTICE.answer(question)).text).toContain(answer);
  });
});

describe('a question with an irregular form', () => {
  it.each([
    ['when was it built?', 'They build a mill in two years.'],
    ['who stole ducks?', 'Foxes steal ducks in winter.'],
    ['what is the depth at the weir?', 'It is two metres deep at the weir.'],
  ])('finds the other forms of its word: %s', async (question, text) => {
    const site = await siteOf({
      a: `<title>One</title><p>${text}</p>`,
      b: '<title>Two</title><p>Flour is milled on Mondays, and the owner of the weir bakes bread.</p>',
    });
    expect((await site.answer(question)).text).toContain(text);
  });
});

describe('whether something is open at this hour', async () => {
  const shop = await siteOf({
    about: '<title>About us</title><h1>About us</h1><p>Marta Lund opened the shop in Kendal in 1998.</p>',
    visit: `<title>Visit us</title><h1>Visit us</h1><p>Opening hours: Monday to Saturday 9 am to 5.30 pm, Sunday 10 am to 4 pm.</p>
      <h2>Climbing wall</h2><p>The wall is closed on Mondays.</p>`,
    pool: '<title>Pool</title><h1>Pool</h1><p>The pool is closed for repairs this winter.</p>',
    cafe: '<title>Café</title><h1>Café</h1><p>The café is open in summer only.</p>',
    tents: '<title>Tents</title><h1>Tents</h1><p>Our tents are made in Kendal.</p>',
  });

  it.each(['is the shop open now', 'Is the shop still open today?', 'are you open right now?'])(
    'is told by the hours, and not by when it was founded: %s',
    async (question) => {
      expect((await shop.answer(question)).text).toMatch(
        /^(?:I am not sure[^\n]*\n\n)?Opening hours: Monday to Saturday/,
      );
    },
  );

  it.each([
    ['is the pool open today', 'The pool is closed for repairs this winter. [1]'],
    ['is the café open now', 'The café is open in summer only. [1]'],
  ])('is told of a part of the place by what its page says: %s', async (question, answer) => {
    expect((await shop.answer(question)).text).toBe(answer);
  });

  it('leaves a day, and when it was founded, as they are', async () => {
    expect((await shop.answer('Is the wall closed on Mondays?')).text).toContain('The wall is closed on Mondays.');
    expect((await shop.answer('Who opened the shop in Kendal?')).text).toBe(
      'Marta Lund opened the shop in Kendal in 1998. [1]',
    );
  });
});
