import { expect, it } from 'vitest';
import { gainAtBeginnings } from '../../../server/answer/extract/beginnings.ts';
import { rank } from '../../../server/answer/extract/rank.ts';
import { foundPassage, queryOf } from '../search.ts';
import { siteOf } from '../site.ts';

const source = { uuid: 'a', title: 'box log', file_name: 'log.html', type: 'link' };
const sentence = (text: string) => ({ text, start: 0, lead: -1, roots: [] });

const gainsIn = (question: string, headings: string[], { headed = 0, opensSection = true } = {}) => {
  const passage = foundPassage(source, '');
  const found = { ...passage, headings, match: { ...passage.match, opensSection } };
  return gainAtBeginnings(found, queryOf(question), headed);
};

it('prefers the sentence below a heading that has most of the question', () => {
  const gain = gainsIn('How do I pack lamps?', ['Packing lamps'], { headed: 0.8 });
  expect(gain(sentence('Take straw.'), 0)).toBeGreaterThan(0.2);
  expect(gain(sentence('Close the lid.'), 1)).toBe(0);
  expect(gainsIn('How do I pack lamps?', ['Lamps'], { headed: 0.5 })(sentence('Take straw.'), 0)).toBe(0);
});

it('prefers it only where the section begins', () => {
  const gain = gainsIn('How do I pack lamps?', ['Packing lamps'], { headed: 0.8, opensSection: false });
  expect(gain(sentence('Take straw.'), 0)).toBe(0);
});

it('prefers it below the name in code that the question has, the more of the question headings have', () => {
  const question = 'What does box log -S search for?';
  const gain = (heading: string) => gainsIn(question, [heading], { headed: 0.4 })(sentence('Looks for labels.'), 0);
  expect(gain('-S <string>')).toBeGreaterThan(0.1);
  expect(gain('-s, --short')).toBe(0);
});

it('prefers the item that begins with the name', () => {
  const gain = gainsIn('What does --in-place do?', ['Arguments']);
  expect(gain(sentence('options: --in-place; replaces the parcel'), 3)).toBeGreaterThan(0.3);
  expect(gain(sentence('options: --copy; is the opposite of --in-place'), 4)).toBe(0);
});

it('puts the beginning of a section before what says the heading once more', async () => {
  const site = await siteOf({
    'post.html': `<title>Post</title><h1>Post</h1><h2>Packing lamps for the post</h2><p>Take straw. Lay the box with it. Packing
      lamps for the post takes an hour.</p>`,
    'other.html': '<title>Tables</title><h1>Tables</h1><p>Tables stand on the floor.</p>',
  });
  const { query, found } = site.search('How does packing lamps for the post work?');
  expect(rank(query, found).candidates[0]?.sentence.text).toBe('Take straw.');
});
