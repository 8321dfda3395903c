import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** Answers without a model to questions that share no word with the page that answers, over HTTP. */

const page = (title: string, text: string): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
const BEFORE =
  'Guests of the reception find the porter behind marble columns, where he sorts letters and answers the telephone.';
const AFTER =
  'Breakfast comes later, with coffee, bread, cheese and marmalade from the orchard behind the kitchen. Newspapers hang beside the stairs. The elevator stops at every floor except the attic, which belongs to the family that owns the house. Gardens surround everything, with roses and gravel paths for those who like to walk.';
const FACT = 'Umbrellas can be hired.';
const pages = {
  '/desk': page('Desk', `${BEFORE} ${FACT} ${AFTER}`),
  '/lamps': page('Lamps', 'Lamps are made of brass in our own workshop. They weigh four kilograms.'),
  '/pool': page('Pool', 'The swimming pool closes during winter. Towels belong to the rooms.'),
};
/** Its words of more than four letters are synonyms of the fact's for the fake model of embeddings. */
const ASKED = 'Can a brolly, a parasol, borrow, lend?';

let fake: FakeModel;
let hotel: Awaited<ReturnType<typeof site>>;
let running: Running;
let chatbot: string;
beforeAll(async () => {
  [fake, hotel] = [await startFakeModel(), await site(pages)];
});
beforeEach(async () => {
  fake.embedRequests.length = 0;
});
afterAll(async () => {
  await Promise.all([fake.close(), hotel.close()]);
});

async function open(env: NodeJS.ProcessEnv): Promise<void> {
  running = await start({ FETCH_ALLOW: hotel.host, ...env });
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Hotel', show_citations: true })).body.uuid;
  for (const path of Object.keys(pages))
    await running.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: hotel.base + path });
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
}

const embedding = () => ({ EMBED_BASE_URL: fake.baseUrl, EMBED_MODEL: 'small' });

async function ask(query: string): Promise<{ response: string; outcome: string; decision: { confidence: number } }> {
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  const { body } = await running.api('POST', `/session/${session}/message/trace`, { query });
  return { response: body.answer, outcome: body.outcome, decision: body.decision };
}

/** Each request for vectors of sentences, but not those of passages and questions. */
const sentenceRequests = () => fake.embedRequests.map(({ body }) => body.input).filter((some) => some.includes(FACT));

/** Vectors are searched a little after they were asked for. */
const found = () =>
  until(
    () => ask(ASKED),
    ({ outcome }) => outcome !== 'unknown',
  );

it('without vectors such a question is refused, and nothing is embedded', async () => {
  await open({});
  const { outcome, decision } = await ask(ASKED);
  expect([outcome, decision.confidence]).toEqual(['unknown', 0]);
  expect(fake.embedRequests).toEqual([]);
  await running.stop();
});

it('the sentence that means it is quoted, with a confidence of its own', async () => {
  await open(embedding());
  const { response, decision } = await found();
  expect(response).toContain(FACT);
  expect(response).not.toContain('Breakfast');
  expect(response).not.toContain('marble');
  expect(decision.confidence).toBeGreaterThan(0.1);
  await running.stop();
});

it('the sentences of the best passages are embedded in one request, and once', async () => {
  await open(embedding());
  await found();
  const [first, ...others] = sentenceRequests();
  expect(others).toEqual([]);
  expect(first!.length).toBeLessThanOrEqual(32);
  await ask(ASKED);
  await ask('Who lends umbrellas?');
  expect(sentenceRequests()).toHaveLength(1);
  await running.stop();
});

it('a question about nothing of the site is refused all the same', async () => {
  await open(embedding());
  await found();
  for (const query of [
    'Which planets beyond Saturn show icy rings around their equator?',
    'Which composer wrote that famous opera about Egyptian princesses?',
    'Should parliament lower taxes before another election campaign?',
  ])
    expect([query, await ask(query)]).toMatchObject([query, { outcome: 'unknown' }]);
  await running.stop();
});

it.each([{ hangAfter: 0 }, { status: 500, raw: ['{}'] }])(
  'where sentences get no vectors in time, words decide, and none are asked for: %o',
  async (script) => {
    await open(embedding());
    await found();
    await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, {
      question: 'Bicycles and saddles',
      answer: 'Bicycles wait at the gate. Saddles are leather.',
    });
    const waiting = () => ask('Where do bicycles wait?');
    fake.embedRequests.length = 0;
    const isBatch = ({ body }: { body: { input: string[] } }) => body.input.length > 1;
    await until(
      () => Promise.resolve(fake.embedRequests.filter(({ body }) => body.input.some((one) => one.includes('gate')))),
      (some) => some.length > 0,
    );
    fake.nextEmbedding({}, script);
    fake.embedRequests.length = 0;
    expect((await waiting()).response).toContain('at the gate');
    expect((await ask('Where do the bicycles wait?')).response).toContain('at the gate');
    expect(fake.embedRequests.filter(isBatch).length).toBeLessThanOrEqual(1);
    await running.stop();
  },
  30_000,
);
