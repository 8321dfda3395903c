import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../server/schema/ids.ts';
import { startStatementLog, type Statement, type StatementLog } from '../fakes/statement-log.ts';
import { parseEvents, post, uuidOf } from '../proxy/fixture.ts';
import { start, type Running } from '../running.ts';
import { makeSchema, type Schema } from '../store/postgres/fixture.ts';
import { startPostgres } from '../store/postgres/server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** Not of what a process does at intervals. */
const OF_VISITORS = /\b(?:chatbots|sessions|messages|visits|agents)\b/;

describe.skipIf(!server)('the first byte of an answer', () => {
  let [schema, log, docent]: [Schema?, StatementLog?, Running?] = [];
  let url: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    log = await startStatementLog(Number(new URL(server!.url).port), OF_VISITORS);
    const database = new URL(schema.url);
    database.port = String(log.port);
    docent = await start({ DATABASE_URL: database.href, DATABASE_POOL: '2' });
    const settings = { name: 'Ferries', visibility: 'public', rate_limit: [100, 1] };
    url = `${docent.base}/chat/${(await docent.api('POST', '/chatbot/create', settings)).body.uuid}/ask`;
    // The first use of a statement on each of two connections prepares it.
    for (let n = 0; n < 4; n++) await converse();
  });
  afterEach(async () => {
    await docent?.stop();
    await log?.close();
    await schema?.drop();
  });

  interface Asked {
    /** What the first byte waited for. */
    waited: Statement[];
    text: string;
  }

  async function ask(question: object): Promise<Asked> {
    log!.clear();
    const reply = await post(url, question);
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let { value: text = '' } = await reader.read();
    const waited = [...log!.answered];
    for (let next; !(next = await reader.read()).done;) text += next.value;
    return { waited, text };
  }

  /** Two questions of one conversation, and the second again. */
  async function converse(): Promise<Asked[]> {
    const first = await ask({ query: 'When does the ferry leave?', id: newUuid() });
    const session = uuidOf(parseEvents(first.text), 'session');
    const question = { query: 'And on Sundays?', session, id: newUuid() };
    return [first, await ask(question), await ask(question)];
  }

  it('waits for two statements in turn, whether the conversation, or the question, is new or not', async () => {
    for (const { waited, text } of await converse()) {
      expect(text).toContain('event: done');
      expect(waited).toEqual([
        { roundTrip: 1, text: expect.stringContaining(' from chatbots ') as string },
        { roundTrip: 2, text: expect.stringMatching(/ into visits .* into messages /) as string },
      ]);
    }
  });
});
