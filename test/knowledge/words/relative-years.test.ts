import { describe, expect, it } from 'vitest';
import { PassageIndex } from '../../../server/knowledge/search/index.ts';
import { stemsFor } from '../../../server/knowledge/text/stems.ts';

const MAY_2031 = new Date(2031, 4, 1).getTime();

async function indexOf(...pages: string[]): Promise<PassageIndex<string>> {
  const index = new PassageIndex<string>();
  for (const [at, text] of pages.entries()) {
    await stemsFor(text);
    index.put(`${at}`, `${at}`, { title: '', text, passages: [{ headings: [], start: 0, end: text.length }] });
  }
  return index;
}

const bestFor = (index: PassageIndex<string>, question: string): string | undefined =>
  index.search(index.query(question, [], false, MAY_2031), 3)[0]?.entry.source;

describe('a year that is named by the present one', () => {
  const fees = (fee: string, year: number): string => `The fee for a berth in ${year} is ${fee} pounds.`;

  it('is the year that pages write', async () => {
    const index = await indexOf(fees('40', 2030), fees('44', 2031), fees('46', 2032), 'Next door stands the club.');
    expect(bestFor(index, 'What was the fee last year?')).toBe('0');
    expect(bestFor(index, 'what is the fee this year')).toBe('1');
    expect(bestFor(index, 'What will the fee be Next  Year?')).toBe('2');
  });

  it('is no less sure an answer where a page says “this year” in words', async () => {
    const index = await indexOf('We close this year from Monday to Friday.', 'Posted on 3 March 2031: a new chef.');
    expect(bestFor(index, 'When do you close this year?')).toBe('0');
    const { terms } = index.query('When do you close this year?', [], false, MAY_2031);
    expect(terms.filter(({ word }) => word === '2031')).toMatchObject([{ worth: 0, loss: 0 }]);
  });

  it('is read in other languages too', async () => {
    const german = (fee: string, year: number): string =>
      `Die Gebühr für einen Liegeplatz beträgt ${year} ${fee} Euro.`;
    const index = await indexOf(german('40', 2030), german('44', 2031), german('46', 2032));
    expect(bestFor(index, 'Wie hoch ist die Gebühr nächstes Jahr?')).toBe('2');
    expect(bestFor(index, 'Wie hoch war die Gebühr letztes Jahr?')).toBe('0');
  });

  it('stays as it is where no page has that year', async () => {
    const index = await indexOf('Next year the pier is rebuilt.', 'Berths cost 40 pounds.');
    expect(bestFor(index, 'What happens next year?')).toBe('0');
  });
});
