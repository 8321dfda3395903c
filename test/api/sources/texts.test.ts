import { expect, it } from 'vitest';
import { useSiteFixture, type Source } from '../site-fixture.ts';
import { until } from '../../running.ts';

const w = useSiteFixture();

const page = (...lines: string[]): string =>
  `<title>Returns</title><main><h1>Returns</h1>${lines.map((line) => `<p>${line}</p>`).join('')}</main>`;

async function fetched(uuid: string): Promise<Source> {
  return until(
    async () => (await w.docent.api('GET', `/data-source/${uuid}`)).body as unknown as Source,
    ({ status }) => status === 'success' || status.startsWith('error'),
  );
}

async function newSource(): Promise<string> {
  const { body } = await w.docent.api('POST', `/chatbot/${w.bot}/data-source/url`, { url: `${w.base}/returns` });
  await fetched(body.uuid);
  return body.uuid;
}

async function fetchAgain(uuid: string): Promise<void> {
  await w.docent.api('POST', '/data-sources/url/re-scrape', { uuids: [uuid] });
  await fetched(uuid);
}

interface SourceText {
  passages: { headings: string[]; text: string }[];
  last_change: { at: string; added: number; removed: number; added_lines: string[]; removed_lines: string[] };
}
const textOf = async (uuid: string) =>
  (await w.docent.api('GET', `/data-source/${uuid}/text`)).body as unknown as SourceText;
const lastChange = async (uuid: string) => (await textOf(uuid)).last_change;
const NONE = { at: '', added: 0, removed: 0, added_lines: [], removed_lines: [] };

it('tells the passages of a source in their order, below their headings', async () => {
  w.shown['/returns'] = page('You may return a lamp within 30 days.', '</p><h2>Refunds</h2><p>We pay within 5 days.');
  const { passages } = await textOf(await newSource());
  expect(passages.map(({ headings }) => headings.at(-1))).toEqual(['Returns', 'Refunds']);
  expect(passages[0]!.text).toContain('You may return a lamp within 30 days.');
  expect(passages[1]!.text).toContain('We pay within 5 days.');
});

it('tells which lines a fetch last added and removed, and keeps that while nothing changes', async () => {
  w.shown['/returns'] = page('You may return a lamp within 30 days.', 'Send it to us.');
  const uuid = await newSource();
  expect(await lastChange(uuid)).toEqual(NONE);
  await fetchAgain(uuid);
  expect(await lastChange(uuid)).toEqual(NONE);
  w.shown['/returns'] = page('You may return a lamp within 45 days.', 'Send it to us.', 'Keep the box.');
  await fetchAgain(uuid);
  const change = await lastChange(uuid);
  expect(change).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    added: 2,
    removed: 1,
    added_lines: ['You may return a lamp within 45 days.', 'Keep the box.'],
    removed_lines: ['You may return a lamp within 30 days.'],
  });
  await fetchAgain(uuid);
  expect(await lastChange(uuid)).toEqual(change);
});

it('keeps the first five lines of a change, shortened, and counts all', async () => {
  w.shown['/returns'] = page('One line stays.');
  const uuid = await newSource();
  w.shown['/returns'] = page('One line stays.', ...Array.from({ length: 30 }, (_, n) => `${n} ${'word '.repeat(100)}`));
  await fetchAgain(uuid);
  const { added, added_lines } = await lastChange(uuid);
  expect(added).toBe(30);
  expect(added_lines.map((line) => line.length)).toEqual([200, 200, 200, 200, 200]);
});
