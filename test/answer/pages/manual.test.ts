import { expect, it } from 'vitest';
import { PassageIndex } from '../../../server/knowledge/search/index.ts';
import { stemsFor } from '../../../server/knowledge/text/stems.ts';
import { searchIndex } from '../search.ts';
import { siteOf } from '../site.ts';

const COMMANDS = ['pack', 'send', 'fetch', 'list', 'watch', 'clean'];

/** A page as manuals have them: sections of the same names on each, and options as a definition list. */
const pageOf = (command: string, { about = '', options = '' } = {}): string =>
  `<title>box ${command}</title><h1>box ${command}</h1><h2>Description</h2><p>${about || `Runs ${command} on the box.`}</p>
  <h2>Options</h2><dl><dt><code>-v</code>, <code>--verbose</code></dt><dd><p>Tells more of what ${command} does.</p></dd>${options}</dl>
  <h2>Examples</h2><p>Run box ${command} each night. Prune with box ${command} before you prune the rest; who prunes too much loses boxes.</p>`;

const PRUNE = `<dt><code>--[no-]prune</code>[=&lt;days&gt;]</dt><dd><p>Removes parcels that nobody has asked for. Ask before you use it on a
  shared box, since there is no way back. Whoever prunes while another program prunes gets an error, and nothing is pruned then. A
  pruned parcel is listed once more, as pruned, and then forgotten. What is pruned is written to the log, with the day, the name of
  the box, and who pruned it, so that a parcel can be asked for again from whoever has sent it to you.</p></dd>`;
const DEPTH =
  '<dt><code>depth_limit</code> (integer)</dt><dd><p>How many boxes within boxes are read.</p><p>Default: 12.</p></dd>';

const manual = () =>
  siteOf(
    Object.fromEntries(
      COMMANDS.map((command) => {
        const options = command === 'clean' ? PRUNE : command === 'list' ? DEPTH : '';
        const about =
          command === 'send' ? 'This command hands a parcel over to another box. It waits for a receipt.' : '';
        return [`${command}.html`, pageOf(command, { options, about })];
      }),
    ),
  );

it('finds the definition of an option among pages with more of its words', async () => {
  const { text, citations } = await (await manual()).answer('What does --prune do?');
  expect(text).toMatch(/^box clean: --\[no-\]prune\[=<days>\]: Removes parcels that nobody has asked for\./);
  expect(Object.values(citations)[0]?.title).toBe('box clean');
  expect((await (await manual()).answer('What is --no-prune for?')).text).toContain('Removes parcels that nobody');
});

it('finds the definition of a setting', async () => {
  expect((await (await manual()).answer('What is depth_limit?')).text).toMatch(
    /^box list: depth_limit \(integer\): How many/,
  );
});

it('tells an option from one in other letters', async () => {
  const page = `<title>box</title><h1>box</h1><h2>Options</h2><dl><dt>-s</dt><dd><p>Shows the size of each parcel. Sizes are in grams.</p></dd>
    <dt>-S</dt><dd><p>Sorts parcels by name. Names are read as in German.</p></dd></dl>`;
  const site = await siteOf({ 'box.html': page });
  expect((await site.answer('What does -S do?')).text).toContain('Sorts parcels by name.');
  expect((await site.answer('What does -s do?')).text).toContain('Shows the size of each parcel.');
});

it('quotes the item that defines an option, before what uses it', async () => {
  const rows = ['verbose', 'quiet', 'dry-run', 'keep', 'in-place'].map(
    (name) =>
      `<tr><td>options</td><td>--${name}</td><td>${name === 'in-place' ? 'replaces the parcel, with no way back' : `is ${name}`}</td></tr>`,
  );
  const site = await siteOf({
    'run.html': `<title>box run</title><h1>box run</h1><h2>Arguments</h2><table>${rows.join('')}</table>`,
    'notes.html': `<title>Notes</title><h1>Notes</h1><h2>Work in place</h2><p>Box run can be made to work in place with its option --in-place.
      This is of use for box run on a small disk.</p>`,
  });
  const { text } = await site.answer('What does --in-place do for box run?');
  expect(text.startsWith('Arguments:')).toBe(true);
  expect(text).toContain('--in-place; replaces the parcel, with no way back');
});

it('tells the page in place of a heading that many pages have', async () => {
  const { text } = await (await manual()).answer('Who hands a parcel over to another box?');
  expect(text).toMatch(/^box send: This command hands a parcel over/);
  expect(text).not.toContain('Description');
});

it('keeps a heading that only some pages have', async () => {
  const pages = Object.fromEntries(
    COMMANDS.map((name, at) => [
      `${name}.html`,
      `<title>${name}</title><h1>${name}</h1><h2>${at === 0 ? 'Exceptions' : `About ${name}`}</h2><p>Lamps of glass for ${name} are sent in straw.</p>`,
    ]),
  );
  expect((await (await siteOf(pages)).answer('Are lamps of glass for pack sent in straw?')).text).toMatch(
    /^Exceptions: /,
  );
});

it('forgets definitions with their source', async () => {
  const index = new PassageIndex<{ uuid: string; title: string; file_name: string; type: string }>();
  const text = 'Removes parcels.';
  await stemsFor(text);
  const put = (uuid: string, heading: string): void =>
    index.put(
      uuid,
      { uuid, title: uuid, file_name: '', type: 'text' },
      { title: uuid, text, passages: [{ headings: [heading], start: 0, end: text.length }] },
    );
  put('a', '--prune');
  put('b', 'Prunes');
  expect(searchIndex(index, 'What does --prune do?').found[0]?.match.asked).toBe(true);
  index.remove('a');
  expect(searchIndex(index, 'What does --prune do?').found[0]?.match.asked).toBe(false);
});
