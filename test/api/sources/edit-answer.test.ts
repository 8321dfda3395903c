import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learned, newChatbot, newLink, newTag, QA, startApiFixture, type ApiFixture } from '../api-fixture.ts';

/** A question with its answer is changed in place: it keeps its uuid, its tags and its citations. */

let w: ApiFixture;
beforeAll(async () => {
  w = await startApiFixture();
});
afterAll(() => w.stop());

const LINK = 'https://shop.test/returns';

async function newAnswer(chatbot: string): Promise<string> {
  const body = { ...QA, reference_source_link: LINK };
  const made = await w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/qa`, body);
  await learned(w, made.body.uuid);
  return made.body.uuid;
}

const update = (source: string, body: unknown) => w.call('POST', `/api/v1/data-source/${source}/update`, body);
const fetched = async (source: string) => (await w.call('GET', `/api/v1/data-source/${source}`)).body;
const meta = async (source: string) => JSON.parse((await fetched(source)).meta_json);

async function ask(chatbot: string, query: string): Promise<string> {
  const session = (await w.call('POST', `/api/v1/chatbot/${chatbot}/session/create`)).body.uuid;
  return (await w.call('POST', `/api/v1/session/${session}/message/non-stream`, { query })).body.response;
}

describe('a question with its answer', () => {
  it('is answered in its new words once it is learned, and keeps its tags and citations', async () => {
    const chatbot = await newChatbot(w);
    const source = await newAnswer(chatbot);
    const tag = await newTag(w, chatbot);
    await w.call('POST', `/api/v1/source-tag/${tag}/update`, { data_source_uuids: [source] });
    expect(await ask(chatbot, QA.question)).toContain('45 days');

    const answer = 'You have 60 days to return something.';
    const { status, body } = await update(source, { answer });
    expect(status).toBe(200);
    expect(body).toMatchObject({ uuid: source, title: QA.question, type: 'qa', status: 'await' });
    expect((await learned(w, source)).body.status).toBe('success');
    expect(await ask(chatbot, QA.question)).toContain('60 days');
    expect(await meta(source)).toEqual({ ...QA, answer, reference_source_link: LINK, passages: 1 });

    const tags = (await w.call('GET', `/api/v1/chatbot/${chatbot}/source-tags`)).body;
    expect(tags[0].data_source_uuids).toEqual([source]);
    await expect
      .poll(async () => (await w.call('GET', `/api/v1/chatbot/${chatbot}/data-sources/cited`)).body[0]?.answers)
      .toBe(2);
  });

  it('is found by its new question, which is its title unless it was given another', async () => {
    const chatbot = await newChatbot(w);
    const source = await newAnswer(chatbot);
    const question = 'Do you repair lamps?';
    expect((await update(source, { question, answer: 'Lamps are repaired for five years.' })).body.title).toBe(
      question,
    );
    await learned(w, source);
    expect(await ask(chatbot, 'do you repair a lamp')).toContain('five years');
    expect(await ask(chatbot, QA.question)).not.toContain('45 days');

    expect((await update(source, { title: 'Repairs' })).body).toMatchObject({ title: 'Repairs', status: 'success' });
    expect((await update(source, { question: QA.question })).body.title).toBe('Repairs');
    expect((await update(source, { question, title: 'Mending' })).body.title).toBe('Mending');
    expect((await learned(w, source)).body).toMatchObject({ title: 'Mending', status: 'success' });
  });

  it('takes another link, and none', async () => {
    const source = await newAnswer(await newChatbot(w));
    await update(source, { reference_source_link: `${LINK}?a=1` });
    expect((await meta(source)).reference_source_link).toBe(`${LINK}?a=1`);
    await update(source, { reference_source_link: null, title: 'Returns' });
    expect((await meta(source)).reference_source_link).toBe(`${LINK}?a=1`);
    await update(source, { reference_source_link: '' });
    expect(await meta(source)).toEqual({ ...QA, passages: 1 });
    expect((await learned(w, source)).body.status).toBe('success');
  });

  it('ends with what was sent last, of many changes at once', async () => {
    const chatbot = await newChatbot(w);
    const source = await newAnswer(chatbot);
    const answers = Array.from({ length: 8 }, (_, at) => `You have ${at + 50} days to return something.`);
    await Promise.all(answers.map((answer) => update(source, { answer })));
    const { answer } = await meta(source);
    expect((await learned(w, source)).body.status).toBe('success');
    expect(await ask(chatbot, QA.question)).toContain(answer.slice(0, 16));
  });

  it('is noted in the audit log by the names of its fields', async () => {
    const chatbot = await newChatbot(w);
    const source = await newAnswer(chatbot);
    await update(source, { answer: 'A secret answer.', reference_source_link: LINK });
    const [entry] = (await w.call('GET', `/api/v1/chatbot/${chatbot}/audit`)).body;
    expect(entry).toMatchObject({ operation: 'updateSource', record: source, detail: 'answer, reference_source_link' });
    expect(JSON.stringify(entry)).not.toContain('secret');
  });

  it('refuses what cannot be stored by the name of its field, and stays as it was', async () => {
    const source = await newAnswer(await newChatbot(w));
    const before = await fetched(source);
    const refused: [string, object][] = [
      ['title', { title: '' }],
      ['question', { question: '' }],
      ['question', { question: 'q'.repeat(1001) }],
      ['answer', { answer: '' }],
      ['answer', { answer: 'a'.repeat(10_001) }],
      ['answer', { answer: ['a'] }],
      ['answer', { question: 'Really?', answer: 'a\0' }],
      ['reference_source_link', { answer: 'Yes.', reference_source_link: 'javascript:alert(1)' }],
      ['reference_source_link', { reference_source_link: 'https://u:p@shop.test/' }],
    ];
    for (const [field, body] of refused) {
      const reply = await update(source, body);
      expect([reply.status, reply.body.field], JSON.stringify(body).slice(0, 80)).toEqual([422, field]);
    }
    expect(await fetched(source)).toEqual(before);
  });
});

it('refuses the words and the link of a source that is a page', async () => {
  const source = await newLink(w, await newChatbot(w));
  const before = await fetched(source);
  for (const field of ['question', 'answer', 'reference_source_link']) {
    const reply = await update(source, { title: 'Other', [field]: LINK });
    expect([reply.status, reply.body.field]).toEqual([422, field]);
  }
  expect((await update(source, {})).body.field).toBe('title');
  expect(await fetched(source)).toEqual(before);
  expect((await update(source, { title: 'Other', answer: null })).body.title).toBe('Other');
});
