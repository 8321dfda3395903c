import { describe, expect, it } from 'vitest';
import { demoSite, pages } from '../../demo/pages.ts';
import { siteOf } from './site.ts';

/** What visitors of a shop ask, against the demo's own pages: the right words, or “I don't know”. */
const ANSWERED: [question: string, words: string][] = [
  ['How long do I have to return something?', '45 days'],
  ['When will my parcel arrive?', 'Europe — Time: 4 to 7 days'],
  ['How long does it take until my order arrives?', '2 to 3 days'],
  ['How much does delivery to Europe cost?', 'Europe — Time: 4 to 7 days; Price: £14'],
  ['Do you ship to Norway?', 'Europe — Time: 4 to 7 days'],
  ['Do you ship to Japan?', 'Rest of the world — Time: 8 to 15 days'],
  ['Is next-day delivery possible?', 'Next-day delivery must be ordered before 2 pm'],
  ['Do I have to pay customs?', 'there is nothing to pay at your door'],
  ['Can I collect my order in person?', 'Collection from the workshop costs nothing'],
  ['My parcel is lost, what now?', 'we send a second one or your money back'],
  ['What does the warranty cover?', 'cloth, seams and leather for 10 years'],
  ['How long is the warranty on zips?', 'covered for 3 years'],
  ['How do I make a claim?', '2. Send the number and a photograph of the damage'],
  ['How much does a new zip cost?', 'New zip — Price: £18'],
  ['Can I put the bag in the washing machine?', 'Never put a waxed bag in a washing machine'],
  ['Can I pay by bank transfer?', 'Ways to pay: Bank transfer, for orders of £500 or more.'],
  ['Do you take PayPal?', 'Ways to pay: Apple Pay, Google Pay and PayPal.'],
  ['Can I pay in instalments?', 'We do not offer payment in instalments'],
  ['When is my card charged?', 'Your card is charged when you place the order.'],
  ['How long are gift cards valid?', 'valid for 3 years'],
  ['What are your opening hours?', '- Thursday — Workshop counter: 10 am to 7 pm'],
  ['Are you open on Sundays?', 'Sunday — Workshop counter: closed'],
  ['What is your phone number?', '01632 960 142'],
  ['Is there parking?', 'There is no car park in Ferry Lane'],
  ['Where is the workshop?', '14 Ferry Lane, Aldermere'],
  ['How many people work there?', 'Eleven people work here now.'],
  ['Are your bags vegan?', 'None of our bags is vegan'],
  ['What are the bags made of?', 'The cloth is 18-ounce cotton'],
  ['How big is the Ferryman?', 'Ferryman pannier — Holds: 22 litres'],
  ['Can I return a bag with a monogram?', 'What cannot come back: Bags with a monogram'],
  ['When do I get my refund?', 'within 5 working days'],
  ['How do I rewax my bag?', 'To rewax it yourself, warm a £9 tin'],
];

const UNKNOWN = [
  'Who are you?',
  'Do you sell bicycle helmets?',
  'What is the weather in London?',
  'Do you have jobs?',
  'Is the app available for Android?',
  'Who is the president of France?',
  'Do your bags fit a Brompton?',
  'How do I reset my password?',
  'Can you recommend a restaurant?',
  'How do I install Python on Windows?',
  'Tell me a joke about penguins',
];

const SHOP = await siteOf(Object.fromEntries(demoSite.learn.map((page) => [page, pages[page]!])));

describe('the demo’s chatbot, asked what visitors ask,', () => {
  it.each(ANSWERED)('answers %j with %j', async (question, words) => {
    const { text, citations } = await SHOP.answer(question);
    expect(text).toContain(words);
    expect(Object.keys(citations).length).toBeGreaterThan(0);
  });

  it.each(UNKNOWN)('does not know %j', async (question) => {
    const { text, citations } = await SHOP.answer(question);
    expect(text).toContain('I don’t know');
    expect(citations).toEqual({});
  });

  it('takes a question in another language for one that it cannot answer, and says so in that language', async () => {
    expect((await SHOP.answer('Wie lange kann ich etwas zurückgeben?')).text).toContain('Das weiß ich nicht');
  });
});
