import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { learnPages, type LearnedSite } from '../../conversations/learned-site.ts';

/** How sure a visitor is told what the pages of a small site say, over HTTP, without a model. */

const pages = {
  '/pitches': `<title>Pitches</title><main><h1>Pitches</h1><p>A pitch by the stream costs £24 a night, with electricity £29.</p>
    <h2>Fires</h2><p>Campfires may burn in the iron bowls until eleven.</p></main>`,
  '/arrival': `<title>Arrival</title><main><h1>Arrival</h1><p>The barrier opens at seven in the morning and is shut at ten.</p></main>`,
  '/jobs': `<title>Jobs</title><main><h1>Jobs</h1><p>Two people who like to work outdoors are wanted for the summer.</p></main>`,
  '/kiosk': `<title>Kiosk</title><main><h1>Kiosk</h1><p>Bread has to be ordered the evening before.</p></main>`,
  '/canoes': `<title>Canoes</title><main><h1>Canoes</h1><p>Canoes are lent by the ranger at the upper landing stage.</p></main>`,
  '/reductions': `<title>Reductions</title><main><h1>Reductions</h1><p>Pensioners pay half, on every day of the week.</p></main>`,
  '/shuttle': `<title>Shuttle</title><main><h1>Shuttle</h1><p>Our shuttle takes walkers home.</p><table><tr><th>To</th><th>Fare</th></tr>
    <tr><td>Ardmore</td><td>£4</td></tr><tr><td>Lower Glen</td><td>£6</td></tr><tr><td>Kinross</td><td>£9</td></tr></table></main>`,
  '/bicycles': `<title>Bicycles</title><main><h1>Bicycles</h1><p>Bicycles are lent by the ranger at the lower gate.</p></main>`,
};

let docent: LearnedSite;
beforeAll(async () => {
  docent = await learnPages(pages, { visibility: 'public' });
});
afterAll(() => docent.stop());

async function ask(query: string): Promise<{ response: string; outcome: string }> {
  const events = parseEvents(await (await post(`${docent.base}/chat/${docent.chatbot}/ask`, { query })).text());
  return events.at(-1)!.data as { response: string; outcome: string };
}

describe('a quotation', () => {
  it.each([
    ['lacks a word that is common in any text', 'is the barrier working at seven?', 'The barrier opens at seven'],
    ['is far ahead of all others', 'may campfires burn in iron bowls on hot nights?', 'Campfires may burn'],
  ])('is told surely where it %s', async (_, query, words) => {
    const { response, outcome } = await ask(query);
    expect(response).toContain(words);
    expect(outcome).toBe('answered');
  });

  it('is told as the closest, or not at all, where it lacks most of the question', async () => {
    expect((await ask('may I book the barrier for a jazz concert?')).outcome).not.toBe('answered');
  });

  it.each(['How much does a passport cost?', 'Is summer a good season for surfing?'])(
    'is not told where the question is about something else: “%s”',
    async (query) => {
      expect((await ask(query)).outcome).toBe('unknown');
    },
  );

  it.each(['do u have canoes', 'are u open at seven'])(
    'is told surely where one types as in a chat: “%s”',
    async (query) => {
      expect((await ask(query)).outcome).toBe('answered');
    },
  );

  it('is the closest where what no page has is said in any text', async () => {
    const { response, outcome } = await ask('how do I get rid of bread?');
    expect([outcome, response.includes('Bread has to be ordered')]).toEqual(['unsure', true]);
  });

  it('is found by what stands beside a question that no page has a word of', async () => {
    const { response, outcome } = await ask("I'm a pensioner, do I get it cheaper?");
    expect(outcome).toBe('unsure');
    expect(response).toContain('Pensioners pay half');
  });
});

describe('a table of names', () => {
  it.each(['what is the fare of the shuttle to Perth?', 'Is there a shuttle to Perth?'])(
    'is the closest to what none of its rows names: “%s”',
    async (query) => {
      const { response, outcome } = await ask(query);
      expect([outcome, response.includes('Lower Glen')]).toEqual(['unsure', true]);
    },
  );

  it.each(['Who is Angus Perth?', 'Is the shuttle painted by Perth Brothers?'])(
    'is not, where more is unknown: “%s”',
    async (query) => {
      expect((await ask(query)).outcome).toBe('unknown');
    },
  );

  it('has the row of a name that it has', async () => {
    const { response, outcome } = await ask('what is the fare of the shuttle to Kinross?');
    expect([outcome, response.includes('£9'), response.includes('£4')]).toEqual(['answered', true, false]);
  });
});
