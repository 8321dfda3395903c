import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replyTo } from '../../../server/answer/small-talk/reply.ts';
import type { LanguageCode } from '../../../server/knowledge/text/languages.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';
import { NO_REMARKS, REMARKS } from './remarks.ts';

/** Remarks on the answers, and a visitor's name, over HTTP: without a model, and with one. */

const MODEL_SAYS = 'Let me read that again.';
let running: Running;
let withModel: Running;
let fake: FakeModel;
let chatbot: string;

async function shop(docent: Running): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Lamps' })).body;
  const pair = { question: 'Do you ship to Norway?', answer: 'Yes, we ship to Norway.' };
  await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, pair);
  const sources = () => docent.api('GET', `/chatbot/${uuid}/data-sources`).then(({ body }) => body);
  await until(sources, (all: { status: string }[]) => all.every(({ status }) => status === 'success'));
  return uuid;
}

async function ask(query: string, bot = chatbot, docent = running) {
  const { uuid } = (await docent.api('POST', `/chatbot/${bot}/session/create`, {})).body;
  const { body } = await docent.api('POST', `/session/${uuid}/message/non-stream`, { query });
  const message = (await docent.api('GET', `/session/${uuid}/messages`)).body.at(-1);
  const { routing, outcome } = JSON.parse(message.meta_json);
  return { response: body.response as string, detected: routing?.detected, outcome };
}

beforeAll(async () => {
  fake = await startFakeModel({ script: () => ({ pieces: [MODEL_SAYS], totalTokens: 5 }) });
  running = await start();
  withModel = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1' });
  chatbot = await shop(running);
});
afterAll(async () => {
  await running.stop();
  await withModel.stop();
  await fake.close();
});

describe('without a model', () => {
  it.each(Object.entries(REMARKS))('answers in the same language: %s', async (language, kinds) => {
    const speaker = { language: language as LanguageCode, name: 'Lamps', words: {}, canPass: false };
    for (const [kind, messages] of Object.entries(kinds)) {
      for (const message of messages) {
        expect([message, await ask(message)]).toEqual([
          message,
          { response: replyTo(kind as keyof typeof kinds, speaker), detected: 'small_talk', outcome: 'answered' },
        ]);
      }
    }
  });

  it.each(NO_REMARKS)('searches for “%s”', async (message) => {
    expect((await ask(message)).detected).toBeUndefined();
  });

  it('answers the question behind a remark or a name', async () => {
    for (const said of ["That's not what I asked.", 'My name is Peter.']) {
      expect((await ask(`${said} Do you ship to Norway?`)).response).toBe('Yes, we ship to Norway.');
    }
  });

  it('says what the owner wrote for it, and offers a person after a complaint', async () => {
    const bot = await shop(running);
    await running.api('POST', `/chatbot/${bot}/widget`, {
      words: { reply_complaint: 'Oh.', reply_name: 'Ahoy!', reply_person: 'Ask for Ann.' },
    });
    expect((await ask('My name is Peter', bot)).response).toBe('Ahoy!');
    const agent = { name: 'Person', type: 'human-escalation' };
    const { uuid } = (await running.api('POST', `/chatbot/${bot}/agent/create`, agent)).body;
    await running.api('POST', `/agent/${uuid}/update`, { enabled: true });
    expect((await ask('you are useless', bot)).response).toBe('Oh. Ask for Ann.');
  });
});

it('leaves complaints and names to a model', async () => {
  const bot = await shop(withModel);
  expect((await ask("That's not what I asked", bot, withModel)).response).toContain(MODEL_SAYS);
  expect((await ask('My name is Peter', bot, withModel)).response).toContain(MODEL_SAYS);
  expect((await ask("you're great", bot, withModel)).response).toBe('Thank you, that is good to hear!');
});
