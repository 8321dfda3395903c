import { afterEach, describe, expect, it } from 'vitest';
import { openKnowledge, pages } from '../knowledge-fixture.ts';

let fixture: Awaited<ReturnType<typeof openKnowledge>> | undefined;
afterEach(() => fixture?.close());

const page = (title: string, thing: string) =>
  `<title>${title}</title><h1>${thing}</h1><p>The ${thing} of the lamp.</p>`;

/** The titles that a question finds on a site of pages with these titles. */
async function titlesOf(titles: string[], given: Record<string, string> = {}): Promise<string[]> {
  const bodies = Object.fromEntries(titles.map((title, at) => [`/${at}`, page(title, `part ${'abcdefgh'[at]}`)]));
  fixture = await openKnowledge(pages(bodies));
  for (const [at, title] of titles.entries()) {
    const source = await fixture.add(`/${at}`, { title: given[title] ?? '' });
    await fixture.knowledge.ingest(source);
    expect((await fixture.ended(source.uuid)).status).toBe('success');
  }
  const found = await fixture.search('Which part of the lamp?');
  return found.map(({ source }) => source.title).toSorted();
}

describe('a title', () => {
  it.each([
    [
      ['Lark Hotel ~ Rooms', 'Lark Hotel ~ Spa', 'Lark Hotel ~ Dogs'],
      ['Dogs', 'Rooms', 'Spa'],
    ],
    [
      ['Zimmer | Hotel Lerche & Sohn', 'Küche | Hotel Lerche & Sohn', 'Hotel Lerche & Sohn'],
      ['Hotel Lerche & Sohn', 'Küche', 'Zimmer'],
    ],
    [
      ['Lark: Rooms', 'Lark: Spa', 'Lark: Dogs: Prices', 'Lark: Dogs: Bowls'],
      ['Dogs: Bowls', 'Dogs: Prices', 'Rooms', 'Spa'],
    ],
    [
      ['客室｜ひばりホテル', '温泉｜ひばりホテル', '食事｜ひばりホテル'],
      ['客室', '温泉', '食事'],
    ],
    [
      ['Chambres – Hôtel L’Alouette', 'Hôtel L’Alouette » Spa', 'Chiens // Hôtel L’Alouette'],
      ['Chambres', 'Chiens', 'Spa'],
    ],
  ])('is told without the name of the site: %j', async (titles, told) => {
    expect(await titlesOf(titles)).toEqual(told.toSorted());
  });

  it.each([
    [['Lark ~ Rooms', 'Lark ~ Spa']],
    [['Rooms | Lark', 'Spa | Wren', 'Dogs | Finch']],
    [['Lark Hotel', 'Lark Farm', 'Lark Café']],
    [['Lark-Hotel', 'Lark-Farm', 'Lark-Café']],
  ])('is told as it is where most have no such name: %j', async (titles) => {
    expect(await titlesOf(titles)).toEqual(titles.toSorted());
  });

  it('is told as its owner wrote it', async () => {
    const titles = ['Lark ~ Rooms', 'Lark ~ Spa', 'Lark ~ Dogs'];
    expect(await titlesOf(titles, { 'Lark ~ Dogs': 'Lark ~ Our dogs' })).toEqual(['Lark ~ Our dogs', 'Rooms', 'Spa']);
  });
});
