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
