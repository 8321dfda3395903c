import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'team.html': `<title>Team · Studio Birch</title><h1>Team</h1>
    <p>Mira Sato draws the plans. She has been with us since 2011 and speaks Japanese.</p>
    <p>Owen Hale runs the building sites. He was a carpenter before and speaks Welsh.</p>
    <p>Ines Duarte keeps the books. She speaks Portuguese and Spanish.</p>`,
  'data.html': `<title>Data · Studio Birch</title><h1>Your data</h1><p>Your data is stored in a data centre in Turku.
    A second copy is stored in Umeå.</p><p>We delete data of enquiries after a year.</p>
    <p>You may ask what data we have about you.</p>`,
  'vets.html': `<title>Vets</title><h1>People</h1><p>They look after animals.</p><h3>Piotr Zielinski</h3>
    <p>Piotr operates on horses. He speaks English and Polish.</p><h3>Lena Brandt</h3><p>Lena runs the puppy class.
    She speaks English and German.</p><h3>Sam Price</h3><p>Sam answers calls. He speaks English and Polish.</p>`,
  'index.html': `<title>Help</title><h1>Help</h1><h2>What would you like to know?</h2><ul><li><h3>Returns and exchanges</h3>
    <p>Changed your mind? How to send a bag back, and when your money follows.</p></li><li><h3>Warranty</h3>
    <p>What it covers.</p></li></ul>`,
  'returns.html': `<title>Returns</title><h1>Returns and exchanges</h1><p>A bag should suit the person on the bicycle.</p>
    <h2>How to send it back</h2><ol><li>Write to us for a label.</li><li>Pack the bag in any box.</li></ol>`,
});

const answerTo = async (question: string): Promise<string> => (await SITE.answer(question)).text;

describe('of a short section with several paragraphs', () => {
  it.each([
    ['Who speaks Japanese?', 'Mira Sato draws', /Owen|Ines/],
    ['Who keeps the books?', 'Ines Duarte keeps the books.', /Mira|Owen/],
    ['Where is my data stored?', 'in a data centre in Turku', /enquiries|You may ask/],
  ])('only the paragraph that answers is quoted: %s', async (question, words, others) => {
    const text = await answerTo(question);
    expect(text).toContain(words);
    expect(text).not.toMatch(others);
  });
});

describe('a quotation', () => {
  it('is not left out because another person’s is the same', async () => {
    const text = await answerTo('Who speaks Polish?');
    expect(text).toMatch(/Piotr[^]*Sam|Sam[^]*Piotr/);
    expect(text).not.toContain('Lena');
  });

  it('is of the page that answers, not of the card that leads to it', async () => {
    const text = await answerTo('How do I send a bag back?');
    expect(text).toContain('1. Write to us for a label.');
    expect(text).not.toContain('Changed your mind');
  });
});
