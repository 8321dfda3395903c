import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, until, type Running } from '../../running.ts';

/** A wish for a person where no agent takes it: it is found among the conversations, and counted. */

let docent: Running;
let chatbot: string;
beforeAll(async () => {
  docent = await start();
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Museum', show_citations: true })).body.uuid;
});
afterAll(() => docent.stop());

async function ask(query: string): Promise<{ session: string; response: string }> {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  const { body } = await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  return { session, response: body.response };
}
const requested = async (): Promise<string[]> => {
  const { body } = await docent.api('GET', `/chatbot/${chatbot}/conversations?state=requested`);
  return body.map(({ uuid }: { uuid: string }) => uuid);
};
const handedOver = async (): Promise<number> => {
  const { body } = await docent.api('GET', `/chatbot/${chatbot}/analytics`);
  return body.days.reduce((sum: number, day: { handed_over: number }) => sum + day.handed_over, 0);
};

it('is found and counted once a conversation, and no other small talk is', async () => {
  await ask('Are you a person?');
  await ask('hello');
  const { session, response } = await ask('I want to talk to a person');
  expect(response).toContain('cannot pass you to a person here');
  await docent.api('POST', `/session/${session}/message/non-stream`, { query: 'Let me talk to a human please' });
  expect(await requested()).toEqual([session]);
  await until(handedOver, (count) => count > 0, 10_000);
  expect(await handedOver()).toBe(1);
});

it('is found where the owner wrote the answer to it', async () => {
  const question = 'Can I talk to a human, please?';
  const { body } = await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer: 'Call us.' });
  await until(
    () => docent.api('GET', `/data-source/${body.uuid}`).then((reply) => reply.body.status),
    (status) => status === 'success',
  );
  const { session, response } = await ask(question);
  expect(response).toContain('Call us.');
  expect(await requested()).toContain(session);
});
