import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'return.html': `<title>Kettles</title><main><h2>Exceptions</h2><p>Kettles that were engraved with a name stay with
    whoever ordered them.</p></main>`,
  'passport.html': `<title>Passport</title><main><h1>Passport</h1><p>Bring your old passport and a photograph.</p>
    <p>You do not need to bring the following.</p><ul><li>A birth certificate.</li><li>A utility bill.</li>
    <li>A letter from your employer.</li></ul></main>`,
  'visit.html': `<title>Visit</title><main><h1>Visit</h1><p>The house is open all year.</p><p>Since the floors are old and the
    stairs are narrow, our wardens cannot let any visitor take the following things further than the hall, whatever the season
    or the weather</p><ul><li>Prams and pushchairs.</li><li>Dogs, other than guide dogs.</li><li>Rucksacks.</li></ul></main>`,
  'loans.html': `<title>Loans</title><main><h1>Loans</h1><p>Members borrow up to ten things at once, and renew each of them
    twice, by telephone or at the desk, so long as nobody else has asked for it in the meantime.</p>
    <h2>Not lent</h2><p>Newspapers of the current week stay in the reading room. Maps from before 1900 stay in the vault. Board
    games with missing parts stay on the shelf until somebody has found the parts, which can take a while; ask at the desk if
    you want to help with it, we are glad of any volunteer that comes. Music scores that belong to the orchestra stay with the
    orchestra, and its librarian alone decides who may look at them and when.</p>
    <h2>Not mended</h2><h3>Toys</h3><p>Wooden trains go to the museum of the town.</p></main>`,
  'money.html': `<title>Money</title><main><p>The desk changes coins.</p><p>What we do not accept from anybody:</p>
    <p>Torn notes of another country.</p></main>`,
  'refunds.html': `<title>Refunds</title><main><h1>Refunds</h1><p>You get your money back within a month, except for:</p><ul>
    <li>Gift vouchers.</li><li>These things, unless they are faulty:<ul><li>Earrings.</li><li>Swimming costumes.</li></ul></li>
    <li>Concert programmes.</li></ul></main>`,
  'fees.html': `<title>Fees</title><main><h1>Fees</h1><p>Nobody pays for these:</p><ul>
    ${Array.from({ length: 30 }, (_, at) => `<li>Advice of kind ${at} about gardens, hedges, fences and ponds of that kind.</li>`).join('')}
    <li>Only for members, and only on a Monday:<ul><li>Grafting of pears.</li></ul></li></ul></main>`,
  'boats.html': `<title>Boats</title><main><h1>Boats</h1><p>Exceptions: rowing boats, once they have been in the sea. Sails that
    were cut to a pattern of your own, since nobody else can use them. Second-hand engines.</p></main>`,
  'cameras.html': `<title>Cameras</title><main><h1>Cameras</h1><p>We mend most cameras while you wait.</p>
    <p><b>Kinds of camera that<br>we never <i>take</i></b></p><p>Toy cameras of any make stay with you.</p>
    <p><strong>Not repaired</strong>:</p><p>Wooden tripods are beyond all of us.</p><p><b>We do not lend:</b></p><p>Flash bulbs of all makers.</p></main>`,
});

describe('a quote is told with what turns its meaning', () => {
  it.each([
    [
      'the only heading of a page that is not its name',
      'Was the kettle engraved with a name?',
      /^Exceptions: Kettles/m,
    ],
    [
      'a whole sentence above a list',
      'Do I have to bring a utility bill?',
      /need to bring the following\. A utility bill/,
    ],
    ['a long line above a list', 'Can I take a pushchair?', /wardens cannot let [^]*: Prams/],
    ['the heading of a long section', 'Can I borrow music scores of the orchestra?', /Not lent: .*Music scores/],
    ['the heading of the section around its section', 'Do wooden trains go there?', /Not mended: Toys: Wooden trains/],
    ['a bold line that runs over two lines', 'Do you mend toy cameras?', /Kinds of camera that we never take: Toy/],
    ['a bold line with its colon outside', 'Do you mend wooden tripods?', /^(?!.*never)[^]*Not repaired: Wooden/],
    [
      'a bold line that ends with a colon',
      'Do you lend flash bulbs of all makers?',
      /^(?!.*never)[^]*lend: Flash bulbs/,
    ],
    [
      'a label that opens the paragraph',
      'Can I return sails cut to my own pattern?',
      /Exceptions: rowing boats, .* Sails/,
    ],
    [
      'the item around a nested list',
      'Can I return earrings?',
      /except for: These things, unless they are faulty: Earrings/,
    ],
    [
      'the list’s own lead alone',
      'Can I return concert programmes?',
      /^(?!.*faulty)[^]*except for: Concert programmes/,
    ],
    [
      'the list within an item that leads to it',
      'Which things do I get money back for if they are faulty?',
      /faulty:\n {2}- Earrings\.\n {2}- Swimming/,
    ],
    [
      'what leads to a list of which it is in the second passage',
      'Do I pay for advice of kind 28?',
      /Nobody pays for these: /,
    ],
    [
      'both where the list is cut',
      'Do I pay for the grafting of pears?',
      /Nobody pays for these: .*only on a Monday: Grafting of pears/,
    ],
    ['a paragraph that ends with a colon', 'Do you accept torn notes?', /do not accept from anybody: Torn notes/],
  ])('%s', async (_, question, told) => {
    expect((await SITE.answer(question)).text).toMatch(told);
  });

  it('once, where several quotes are from one section', async () => {
    const { text } = await SITE.answer('Do I need a birth certificate?');
    expect(text.split('You do not need')).toHaveLength(2);
  });
});
