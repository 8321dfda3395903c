import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { start, until, type Running } from '../../running.ts';

/** What was asked in vain, over HTTP. */

let docent: Running;
let chatbot: string;
beforeAll(async () => {
  docent = await start();
});
afterAll(() => docent.stop());
beforeEach(async () => {
  const made = { name: 'Ferries', visibility: 'public', show_citations: true, rate_limit: [100, 1] };
  chatbot = (await docent.api('POST', '/chatbot/create', made)).body.uuid;
  await write('When does the last ferry leave?', 'The last ferry leaves at ten to nine.');
});

async function write(question: string, answer: string): Promise<string> {
  const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer })).body;
  await until(
    async () => (await docent.api('GET', `/data-source/${uuid}`)).body,
    ({ status }) => status === 'success',
  );
  return uuid;
}
async function ask(...queries: string[]): Promise<string> {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  for (const query of queries) await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  return session;
}
const gaps = async (search = '') => (await docent.api('GET', `/chatbot/${chatbot}/gaps${search}`)).body;
const act = async (verb: 'hide' | 'show', question: string) =>
  expect((await docent.api('POST', `/chatbot/${chatbot}/gap/${verb}`, { question })).body).toEqual({ success: true });

it('groups questions for the same thing, most asked first, in the visitors’ own words', async () => {
  await ask('Do you sell pink llamas?');
  for (const query of ['Can I bring my bicycle?', 'May I bring a bicycle?', 'Can bicycles be brought?'])
    await ask(query);
  await ask('When does the last ferry leave?');
  const { count, is_cut, gaps: found } = await gaps();
  expect([count, is_cut]).toEqual([2, false]);
  expect(found.map((gap: { count: number }) => gap.count)).toEqual([3, 1]);
  expect(found[0].reasons).toEqual({ unknown: 3, unsure: 0, rated_down: 0, asked_again: 0 });
  expect(found[0].wordings.map(({ query }: { query: string }) => query).toSorted()).toEqual([
    'Can I bring my bicycle?',
    'Can bicycles be brought?',
    'May I bring a bicycle?',
  ]);
});

it('has what was voted down', async () => {
  const reply = await fetch(`${docent.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'When does the last ferry leave today?' }),
  });
  const [session, message] = [...(await reply.text()).matchAll(/"uuid":"(\w{32})"/g)].map(([, uuid]) => uuid);
  const path = `${docent.base}/chat/${chatbot}/session/${session}/message/${message}/feedback`;
  const body = JSON.stringify({ rating: -1 });
  const rated = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  expect([rated.status, path]).toEqual([200, path]);
  expect((await gaps()).gaps[0]).toMatchObject({
    question: 'When does the last ferry leave today?',
    reasons: { rated_down: 1 },
    wordings: [{ session }],
  });
});

it('has what was answered by quotes that may not answer', async () => {
  // What is asked in the second in which a source was changed may have been asked before that.
  const asked = async () => {
    await ask('the last ferry, when does it leave tonight?');
    return gaps();
  };
  const { gaps: found } = await until(asked, ({ count }) => count === 1);
  expect(found[0].reasons).toEqual({ unknown: 0, unsure: found[0].count, rated_down: 0, asked_again: 0 });
});

it('has what was asked again in other words in the same conversation, and not what was asked in the same words', async () => {
  const question = 'When does the last ferry leave?';
  await ask(question, 'the last ferry, when does it leave?');
  await ask(question, question);
  await ask(question, 'Do you sell tickets?');
  await ask('when is it that the last ferry leaves?');
  const { gaps: found } = await gaps();
  const again = found.filter(({ reasons }: { reasons: Record<string, number> }) => reasons['asked_again']! > 0);
  expect(again).toMatchObject([{ question, count: 1, reasons: { unknown: 0, unsure: 0, asked_again: 1 } }]);
});

it('lists 50 groups, and says that there are more', { timeout: 60_000 }, async () => {
  const goods = Array.from(
    { length: 52 },
    (_, at) => `zorp${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}x`,
  );
  for (const one of goods) await ask(`Do you sell ${one}?`);
  const { count, is_cut, gaps: found } = await gaps();
  expect([count, is_cut, found.length]).toEqual([52, true, 50]);
  await act('hide', `Do you sell ${goods[0]}?`);
  await act('hide', `Do you sell ${goods[1]}?`);
  expect(await gaps()).toMatchObject({ count: 50, is_cut: false });
});

it('is answered in the next question once its answer is stored', async () => {
  const question = 'Can I bring my bicycle?';
  await ask(question);
  const start = performance.now();
  await write(question, 'Bicycles travel free on all decks.');
  const session = await ask(question);
  const took = performance.now() - start;
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  expect(message.response).toContain('Bicycles travel free on all decks.');
  console.log(`from the written answer to a visitor's: ${Math.round(took)} ms`);
});

it('leaves out a group once its answer is written, and has it again once that is undone', async () => {
  await ask('Can I bring my bicycle?');
  expect((await gaps()).count).toBe(1);
  const source = await write('Can I bring my bicycle?', 'Bicycles travel free on all decks.');
  expect(await gaps()).toEqual({ count: 0, is_cut: false, gaps: [] });
  await docent.api('POST', `/data-source/${source}/delete`);
  expect((await gaps()).count).toBe(1);
});

it('hides a group and what is asked later alike to it, until it is shown again', async () => {
  await ask('Can I bring my bicycle?');
  await ask('Do you sell pink llamas?');
  await act('hide', 'Can I bring my bicycle?');
  await ask('May I bring a bicycle?');
  const questions = async (search?: string) =>
    (await gaps(search)).gaps.map(({ question }: { question: string }) => question);
  expect(await questions()).toEqual(['Do you sell pink llamas?']);
  expect((await gaps('?hidden=true')).gaps).toMatchObject([{ count: 2 }]);
  await act('show', 'May I bring a bicycle?');
  expect([await questions('?hidden=true'), (await gaps()).count]).toEqual([[], 2]);
});

it('loses none of ten groups that are hidden at once', async () => {
  const goods = [
    'llamas',
    'tractors',
    'violins',
    'candles',
    'kayaks',
    'turbines',
    'orchids',
    'sledges',
    'anvils',
    'kites',
  ];
  const questions = goods.map((one) => `Do you sell ${one}?`);
  for (const question of questions) await ask(question);
  await Promise.all(questions.map((question) => act('hide', question)));
  expect([(await gaps()).count, (await gaps('?hidden=true')).count]).toEqual([0, 10]);
});

it('has no word of a conversation that is deleted, hidden or not', async () => {
  const session = await ask('Can I bring my bicycle?');
  await act('hide', 'Can I bring my bicycle?');
  await docent.api('POST', `/session/${session}/delete`);
  expect([(await gaps()).count, (await gaps('?hidden=true')).count]).toEqual([0, 0]);
});
