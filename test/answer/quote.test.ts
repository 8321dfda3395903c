import { describe, expect, it, vi } from 'vitest';
import { selectQuotes } from '../../server/answer/extract/select.ts';
import type { Found, SearchResult } from '../../server/knowledge/search/found.ts';
import { chunked } from '../../server/knowledge/ingest/chunk.ts';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { readPlain } from '../../server/knowledge/readers/plain.ts';
import { queryOf, searchIndex } from './search.ts';

type Source = Found['source'];

const aSource = (title: string, file_name = `https://lamps.example/${title.toLowerCase()}`): Source => ({
  uuid: title,
  title,
  file_name,
  type: 'link',
});

/** A site of plain pages by title, and what it finds for a question, as the server's search gives it. */
async function siteOf(pages: Record<string, string>) {
  const index = new PassageIndex<Source>();
  for (const [title, text] of Object.entries(pages)) {
    index.put(title, aSource(title), { ...(await chunked(await readPlain(text))), title });
  }
  const search = (query: string): SearchResult => searchIndex(index, query);
  const ask = (text: string): string[] => {
    const { query, found } = search(text);
    return [...selectQuotes(query, found)].map((sentence) => sentence.text);
  };
  return { search, ask };
}

const SHOP = await siteOf({
  Returns: `You may send a lamp back within 60 days of delivery, and we refund the full price. Lamps made to order cannot
    come back.\n\nRefunds reach your account 4 working days after the lamp reaches us. Postage is not refunded.`,
  Shipping: `Orders leave our store in Bristol on the day they are placed. Delivery within Britain takes 2 to 3 days and
    costs £6.\n\n- To Europe: 5 to 8 days, £15\n- To all other countries: up to 20 days, £29`,
  Warranty: `Every lamp has a guarantee of 5 years. It covers the wiring and the switch, but not the bulb. If a lamp
    breaks, write to repairs@lamps.example and send us a photograph.`,
  Payment: `We take Visa, Mastercard and bank transfer. Your card is charged when the order leaves us. Cheques are not
    accepted.`,
  Contact: `You reach us by telephone on 01632 960 123, Monday to Friday from 9 am to 5 pm. Email goes to
    hello@lamps.example.`,
  About: `The workshop was founded by Ada Brook in 1974. Eleven people make lamps here, from oak, brass and glass.`,
});

describe('a quoted answer', () => {
  it.each([
    ['How long do I have to return something?', '60 days'],
    ['HOW LONG DO I HAVE TO RETURN SOMETHING', '60 days'],
    ['by when must I send a lamp back?', '60 days'],
    ['until when can I bring it back', '60 days'],
    ['What is your return policy?', '60 days'],
    ['When do I get my money back?', '4 working days'],
    ['How much is shipping?', '£'],
    ['How long does delivery to Europe take?', '5 to 8 days'],
    ['what does the warranty cover?', 'wiring'],
    ['How long is the guarantee?', '5 years'],
    ['my lamp is broken', 'photograph'],
    ['Which cards do you accept?', 'Visa'],
    ['can i pay by cheque', 'Cheques'],
    ['What is your phone number?', '01632 960 123'],
    ['email', 'hello@lamps.example'],
    ['Who founded the workshop?', 'Ada Brook'],
    ['When was the workshop founded?', '1974'],
    ['warranty', '5 years'],
  ])('to %j says %j', (query, words) => {
    expect(SHOP.ask(query).join('\n')).toContain(words);
  });

  it.each([
    'What is the capital of France?',
    'Who won the football world cup in 2018?',
    'How do I install Python on Windows?',
    'How tall is Mount Everest?',
    'Tell me a joke about penguins',
    'hello',
    'thanks!',
    '???',
    '',
    '🙂',
    'what is it',
    'constructor',
  ])('is not given to %j', (query) => {
    expect(SHOP.ask(query)).toEqual([]);
  });

  it('ranks first the sentence of the answer type asked for', () => {
    expect(SHOP.ask('How long do I have to return something?')[0]).toContain('60 days');
    expect(SHOP.ask('When was the workshop founded?')[0]).toContain('1974');
    expect(SHOP.ask('How much is delivery to Europe?')[0]).toContain('£15');
  });

  it('is one to three whole sentences, word for word, each with its passage', () => {
    for (const text of ['How long do I have to return a lamp?', 'delivery', 'lamp', 'Is the switch covered?']) {
      const { query, found } = SHOP.search(text);
      const quoted = [...selectQuotes(query, found)];
      expect(quoted.length).toBeGreaterThanOrEqual(1);
      expect(quoted.length).toBeLessThanOrEqual(3);
      for (const { text, found: at } of quoted) expect(found[at]!.text).toContain(text);
      expect(new Set(quoted.map(({ text }) => text)).size).toBe(quoted.length);
    }
  });

  it('is the only sentence of the site where it answers', async () => {
    const one = await siteOf({ Hours: 'The museum opens at nine.' });
    expect(one.ask('When does the museum open?')).toEqual(['The museum opens at nine.']);
    expect(one.ask('museum opening time?')).toEqual(['The museum opens at nine.']);
    expect(one.ask('at what time do you open')).toEqual(['The museum opens at nine.']);
    expect(one.ask('What is the capital of France?')).toEqual([]);
    const sky = await siteOf({ Sky: 'The sky over Zembla is green' });
    expect(sky.ask('What colour is the sky over Zembla?')).toEqual(['The sky over Zembla is green']);
  });

  it('does not repeat a sentence', async () => {
    const site = await siteOf({
      A: 'Our ferry leaves the island harbour at noon every day.',
      B: 'Our ferry leaves the island harbour every day at noon.',
      C: 'The ferry takes bicycles too.',
    });
    expect(site.ask('When does the ferry leave?').filter((text) => text.includes('noon'))).toHaveLength(1);
  });

  it('is empty where no passage was found', () => {
    expect([...selectQuotes(queryOf('How long do I have to return something?'), [])]).toEqual([]);
  });

  it('is about the subject of an essay, not about essays', () => {
    for (const query of [
      'Write an essay about the guarantee',
      'Please write me a long and detailed article on the guarantee of your lamps.',
      'compose three paragraphs about the warranty',
    ]) {
      expect(SHOP.ask(query).join(' '), query).toContain('5 years');
    }
    expect(SHOP.ask('Write an essay about the history of Rome')).toEqual([]);
  });

  it('is the whole answer where the owner wrote it as one', () => {
    const text = 'Yes, you can.\n\n1. Ring the bell.\n2. Say who you are. We open the door then.';
    const index = new PassageIndex<Source>();
    const source = { ...aSource('May I visit the workshop?', ''), type: 'qa' };
    const passages = [{ headings: [source.title], start: 0, end: text.length }];
    index.put('qa', source, { title: source.title, text, passages });
    const { query, found } = searchIndex(index, 'Can I visit your workshop?');
    expect([...selectQuotes(query, found)]).toEqual([{ text, found: 0, at: 0 }]);
  });

  it('takes no more than seven times the look-ups for a question of four times the length', () => {
    const asked = (length: number) =>
      'How long do I have to return the lamp that I bought from you? '.repeat(140).slice(0, length);
    expect(SHOP.ask(asked(8000)).join(' ')).toContain('60 days');
    const lookUps = (question: string): number => {
      const spies = [vi.spyOn(Map.prototype, 'get'), vi.spyOn(Set.prototype, 'has')];
      SHOP.ask(question);
      const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      return count;
    };
    const [short, long] = [lookUps(asked(2000)), lookUps(asked(8000))];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThanOrEqual(short * 7);
  });
});
