import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { add, crawl, holdRequests, sourceEnded, useSiteFixture } from '../site-fixture.ts';

/** What was asked in vain, once the pages of the site are fetched again. */

const fixture = useSiteFixture();

const visit = (more: string): string => `<title>Your visit</title><main><h1>Your visit</h1>
  <h2>In case of fire</h2><p>Please leave the building by the nearest exit and meet at the assembly point.</p>
  <h2>Cloakroom</h2><p>Umbrellas and bags go to the cloakroom in the foyer, which closes at six.</p>
  ${more}</main>`;

beforeEach(async () => {
  fixture.shown = { '/': visit('') };
  await crawl(fixture);
});

async function ask(query: string): Promise<string> {
  const { docent, bot } = fixture;
  const session = (await docent.api('POST', `/chatbot/${bot}/session/create`, {})).body.uuid;
  await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return JSON.parse(message.meta_json).outcome;
}
const gaps = async (): Promise<string[]> =>
  (await fixture.docent.api('GET', `/chatbot/${fixture.bot}/gaps`)).body.gaps.map(
    ({ question }: { question: string }) => question,
  );
/** Times have seconds: what is fetched later is to be known as later. */
async function fetchAgain(): Promise<void> {
  await sleep(1100);
  await crawl(fixture);
}

it('keeps what was answered with low confidence, though the page was fetched again', async () => {
  const questions = ['Where is the assembly point for coaches?', 'Who cleans the umbrellas?', 'Do you rent kayaks?'];
  const outcomes = [];
  for (const question of questions) outcomes.push(await ask(question));
  expect(outcomes).toEqual(['unsure', 'unsure', 'unknown']);
  const open = (await gaps()).toSorted();
  expect(open).toEqual(questions.toSorted());
  await fetchAgain();
  expect((await gaps()).toSorted()).toEqual(open);
});

it('leaves out what a page answers now, and keeps what a changed page may not answer', async () => {
  const [answered, unsure] = ['Do you rent kayaks?', 'Where is the assembly point for coaches?'];
  expect([await ask(answered), await ask(unsure)]).toEqual(['unknown', 'unsure']);
  fixture.shown['/'] = visit('<h2>Kayaks</h2><p>We rent kayaks at the pier for £12 an hour.</p>');
  await fetchAgain();
  expect([await ask(answered), await ask(unsure)]).toEqual(['answered', 'unsure']);
  expect(await gaps()).toEqual([unsure]);
});

const kayaks = '<title>Kayaks</title><main><h2>Kayaks</h2><p>We rent kayaks at the pier for £12 an hour.</p></main>';

it('leaves out what a page answers that could not be read when it was asked', async () => {
  const { uuid, status } = await add(fixture, '/kayaks');
  expect([status, await ask('Do you rent kayaks?')]).toEqual(['error:not found', 'unknown']);
  expect(await gaps()).toEqual(['Do you rent kayaks?']);
  fixture.shown['/kayaks'] = kayaks;
  await sleep(1100);
  await fixture.docent.api('POST', '/data-sources/url/re-scrape', { uuids: [uuid] });
  expect((await sourceEnded(fixture.docent, uuid)).status).toBe('success');
  expect(await ask('Do you rent kayaks?')).toBe('answered');
  expect(await gaps()).toEqual([]);
});

it('leaves out what a page answers that was still being read when it was asked', async () => {
  const { docent, bot, base } = fixture;
  fixture.shown['/kayaks'] = kayaks;
  const release = holdRequests(fixture);
  const { body } = await docent.api('POST', `/chatbot/${bot}/data-source/url`, { url: `${base}/kayaks` });
  expect(await ask('Do you rent kayaks?')).toBe('unknown');
  expect(await gaps()).toEqual(['Do you rent kayaks?']);
  await sleep(1100);
  release();
  expect((await sourceEnded(docent, body.uuid)).status).toBe('success');
  expect(await ask('Do you rent kayaks?')).toBe('answered');
  expect(await gaps()).toEqual([]);
});
