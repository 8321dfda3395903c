import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { start, until, type Running } from '../running.ts';

const PAIRS: Record<string, string> = {
  'Who are you?': 'I am the lamp shop’s helper.',
  hi: 'Good to see you!',
  '你是谁？': '我是台灯店的助手。',
  'Qui êtes-vous ?': 'Je suis l’assistant de la boutique.',
  '¿Qué es esto?': 'Es la tienda de lámparas.',
  'Кто ты?': 'Я помощник магазина.',
  'من أنت؟': 'أنا مساعد المتجر.',
  'तुम कौन हो?': 'मैं दुकान का सहायक हूँ।',
  ใครกันนะ: 'ผู้ช่วยของร้าน',
  '👋': 'Hello yourself!',
  'Do you sell bulbs?': 'Yes, at two pounds each.',
};

let docent: Running;
let chatbot: string;

async function chatbotWith(server: Running): Promise<string> {
  const { uuid } = (await server.api('POST', '/chatbot/create', { name: 'Shop', show_citations: true })).body;
  for (const [question, answer] of Object.entries(PAIRS)) {
    await server.api('POST', `/chatbot/${uuid}/data-source/qa`, { question, answer });
  }
  const sources = () => server.api('GET', `/chatbot/${uuid}/data-sources`).then(({ body }) => body);
  await until(sources, (all: { status: string }[]) => all.every(({ status }) => status === 'success'));
  return uuid;
}

async function ask(query: string, server = docent, asked = chatbot): Promise<string> {
  const session = (await server.api('POST', `/chatbot/${asked}/session/create`)).body.uuid;
  return (await server.api('POST', `/session/${session}/message/non-stream`, { query })).body.response;
}

beforeAll(async () => {
  docent = await start();
  chatbot = await chatbotWith(docent);
});
afterAll(() => docent.stop());

describe('a question that the owner has answered', () => {
  it.each(Object.entries(PAIRS))('%s: gets that answer, though all its words are common', async (question, answer) => {
    expect(await ask(question)).toBe(`${answer} [1]`);
  });

  it.each([
    ['WHO ARE YOU', 'Who are you?'],
    ['  who, are you?!', 'Who are you?'],
    ['Hi!', 'hi'],
    ['qui etes vous', 'Qui êtes-vous ?'],
    ['Que es esto', '¿Qué es esto?'],
    ['Hello, I hope you are well. Who are you? Thanks a lot in advance!', 'Who are you?'],
  ])('%s: is the same question', async (asked, question) => {
    expect(await ask(asked)).toBe(`${PAIRS[question]} [1]`);
  });

  it('does not match with another word in it', async () => {
    expect(await ask('Who are they?')).not.toContain(PAIRS['Who are you?']);
    expect(await ask('hi hi')).not.toContain(PAIRS['hi']);
  });

  it('is not answered once its source is deleted, and gets the newest of several answers', async () => {
    const add = async (answer: string) =>
      (await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: 'And you?', answer })).body.uuid;
    const answered = (words: string) =>
      until(
        () => ask('and you'),
        (text) => text.includes(words),
      );
    await add('Well.');
    await answered('Well.');
    const newest = await add('Very well.');
    await answered('Very well.');
    await docent.api('POST', `/data-source/${newest}/delete`);
    expect(await ask('and you')).toBe('Well. [1]');
  });
});

describe('with a model', () => {
  let model: FakeModel;
  beforeAll(async () => {
    model = await startFakeModel();
  });
  afterAll(() => model.close());

  it('is answered by the owner’s text without a request to the model', async () => {
    const written = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' });
    const asked = await chatbotWith(written);
    expect(await ask('who are you', written, asked)).toBe('I am the lamp shop’s helper. [1]');
    expect(model.requests).toHaveLength(0);
    expect(await ask('What do bulbs cost?', written, asked)).toBe('It works.');
    await written.stop();
  });
});
