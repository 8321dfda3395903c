import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const PAGE = `<title>Help</title><main><h1>Your lamp</h1><p>Our lamps are made by hand in Aldermere, each by one person, from brass and
  glass, and last for many years if you look after them well.</p><h2>Pairing a remote control</h2>
  <p>You need a remote control of the second series.</p><ol><li>Hold the button of the lamp for five seconds.
  <p>The ring blinks.</p><li>Press <b>Pair</b> on the remote control.<pre>pair --now</pre><li>Wait until the ring is blue.</ol>
  <h2>Prizes of the year</h2><ol><li>Ada Finch, for the reading lamp.<li>Bo Larsen, for the street lamp.<li>Cy Moon, for the desk lamp.</ol>`;

it('quotes all steps of a list, with their numbers and code, where the question asks how', async () => {
  const site = await siteOf({ 'help.html': PAGE });
  const { text, citations } = await site.answer('How do I pair a remote control?');
  expect(text).toContain(
    '1. Hold the button of the lamp for five seconds.\n   The ring blinks.\n2. Press Pair on the remote control.\n\n```\npair --now\n```\n3. Wait until the ring is blue. [1]',
  );
  expect(text).not.toContain('Ada Finch');
  expect(JSON.stringify(citations)).toContain('Wait until the ring is blue.');
});

it('quotes the item that is asked for, where the question does not ask how', async () => {
  const site = await siteOf({ 'help.html': PAGE });
  const { text } = await site.answer('Who got a prize for the street lamp?');
  expect(text).toContain('Bo Larsen, for the street lamp.');
  expect(text).not.toContain('Cy Moon');
});

const ABOUT =
  '<p>The workshop has stood beside the mill of Aldermere since 1911, and takes eight pupils in each course.</p>';
const ofKiln = (steps: string[]): string =>
  `<title>Kiln</title><main><h1>The workshop</h1>${ABOUT}<h2>How to fire the kiln</h2><ol>${steps.map((step) => `<li>${step}`).join('')}</ol>`;
const numbered = (steps: string[]): string[] => steps.map((step, at) => `${at + 1}. ${step}`);

it('quotes a long list of steps whole', async () => {
  const steps = Array.from(
    { length: 22 },
    (_, at) => `Turn the ${'abcdefghijklmnopqrstuvwxyz'[at]}-valve and wait ${at + 2} minutes.`,
  );
  const site = await siteOf({ 'kiln.html': ofKiln(steps) });
  const { text } = await site.answer('How do I fire the kiln?');
  expect(text).toContain(numbered(steps).join('\n'));
});

it('quotes the first of steps that are too long together, and says that there are more', async () => {
  const more =
    'Look through the small window beside the door, and note what you see in the book on the shelf, with the hour. '.repeat(
      2,
    );
  const steps = Array.from({ length: 14 }, (_, at) => `Set the dial to ${at + 3}. ${more.trim()}`);
  const site = await siteOf({ 'kiln.html': ofKiln(steps) });
  const { text } = await site.answer('How do I fire the kiln?');
  const quoted = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(quoted.length).toBeGreaterThan(5);
  expect(quoted).toEqual(quoted.map((_, at) => at + 1));
  expect(text).toMatch(/ … \[1\]$/);
});

it.each([
  ['numbers', ['1. Weigh', '2. Soak', '3. Sieve']],
  ['a word and numbers', ['Step 1', 'Step 2', 'Step 3']],
  ['a word, numbers and names', ['Step 1: Weigh', 'Step 2: Soak', 'Step 3: Sieve']],
])('quotes steps that are headings with %s, all and in their order', async (_, headings) => {
  const texts = [
    'Weigh the powders on the scale.',
    'Let them soak overnight.',
    'Press the glaze through the sieve twice.',
  ];
  const sections = headings.map((heading, at) => `<h3>${heading}</h3><p>${texts[at]}</p>`).join('');
  const page = `<title>Glaze</title><main><h1>The workshop</h1>${ABOUT}<h2>How to mix a glaze</h2>${sections}<h2>Prices</h2><p>A kilogram of glaze costs 12 euros in the workshop, and is sold on Fridays.</p>`;
  const site = await siteOf({ 'glaze.html': page });
  const { text } = await site.answer('How do I mix a glaze?');
  const at = texts.map((one) => text.indexOf(one));
  expect(Math.min(...at)).toBeGreaterThanOrEqual(0);
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(text.match(/\[\d\]/g)).toEqual(['[1]']);
  expect(text).not.toContain('12 euros');
});

it('leaves numbered chapters their headings', async () => {
  const chapter =
    'We deliver what you have ordered to the address that you gave us, as soon as all of it is there. '.repeat(6);
  const page = `<title>Terms</title><main><h1>Terms</h1><h2>1. Delivery</h2><p>${chapter}</p><h2>2. Withdrawal</h2><p>You may withdraw within 30 days of the day on which the last of the goods came.</p>`;
  const site = await siteOf({ 'terms.html': page });
  const [first] = site.search('withdrawal').found;
  expect(first!.headings).toEqual(['Terms', '2. Withdrawal']);
});
