import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { answerWith, ask, startChatServer, textOf, uuidOf, type ChatServer } from '../../proxy/fixture.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('answers of several processes', () => {
  let schema: Schema;
  let [a, b]: ChatServer[] = [];
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    const start = () =>
      startChatServer({ openStore: (options) => openPostgresStore({ url: schema.url, max: 4, ...options }) });
    a = await start();
    b = await start();
    chatbot = (await a.chatbot()).uuid;
  });
  afterEach(async () => {
    await Promise.all([a!.stop(), b!.stop()]);
    await schema.drop();
  });

  it('are made once for an id that comes to both at the same moment', async () => {
    let made = 0;
    const respond = answerWith('You have ', '30 days.');
    for (const docent of [a!, b!])
      docent.respond = (question, run) => {
        made += 1;
        return respond(question, run);
      };
    for (let n = 1; n <= 10; n++) {
      const question = { query: 'How long?', id: newUuid() };
      const asked = await Promise.all([a!, b!].map((docent) => ask(docent, chatbot, question)));
      expect(made).toBe(n);
      const [one, other] = asked.map((events) => [uuidOf(events, 'session'), uuidOf(events, 'message')]);
      expect(one).toEqual(other);
      expect(await a!.store.messages(one![0]!)).toMatchObject([{ uuid: one![1], response: 'You have 30 days.' }]);
      const again = await ask(b!, chatbot, question);
      expect(textOf(again)).toBe('You have 30 days.');
      expect(made).toBe(n);
    }
  });
});
