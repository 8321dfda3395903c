import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'courses.html': `<title>Courses</title><h1>Courses</h1><p>All courses are held in the barn. They start in October.</p>
    <dl><dt>Deposit</dt><dd>€30</dd><dt>Waiting period</dt><dd>Three weeks</dd></dl>`,
  'kurse.html': `<title>Kurse</title><h1>Kurse</h1><p>Alle Kurse sind im Hof. Sie fangen im Oktober an.</p>
    <dl><dt>Anzahlung</dt><dd>30 Euro</dd><dt>Wartezeit</dt><dd>drei Wochen</dd></dl>`,
  'boxes.html': `<title>Boxes</title><p>One box costs, with what the garden has:</p>
    <dl><dt>Small box</dt><dd>€11</dd><dt>Large box</dt><dd>€18</dd></dl>`,
  'barn.html': '<title>Barn</title><h1>Barn</h1><p>The barn was built in 1821 by a miller.</p>',
});

const answerTo = async (question: string): Promise<string> => (await SITE.answer(question)).text;

describe('a definition below a paragraph', () => {
  it.each([
    ['How much is the deposit?', 'Deposit: €30 [1]'],
    ['What is the waiting period?', 'Waiting period: Three weeks [1]'],
    ['Wie hoch ist die Anzahlung?', 'Anzahlung: 30 Euro [1]'],
  ])('is told without it: %s', async (question, definition) => {
    const text = await answerTo(question);
    expect(text).toContain(definition);
    expect(text).not.toMatch(/October|Oktober/);
  });

  it('is told with a paragraph that leads to it', async () => {
    expect(await answerTo('How much is the large box?')).toBe(
      'One box costs, with what the garden has: Large box: €18 [1]',
    );
  });

  it('is not told where the paragraph is asked for', async () => {
    const text = await answerTo('When do the courses start?');
    expect(text).toContain('All courses are held in the barn. They start in October. [1]');
    expect(text).not.toContain('Deposit');
  });
});
