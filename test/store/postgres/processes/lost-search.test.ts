import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { startFakeModel, type Script } from '../../../fakes/model.ts';
import { startTcpProxy } from '../../../fakes/tcp-proxy.ts';
import { site, start, until } from '../../../running.ts';
import { makeSchema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const page = (title: string, text: string): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
const PAGES = {
  '/small': page('The Pim table lamp', 'The Pim is made of brass for small tables. It costs 80 euros.'),
  '/returns': page('Returns', 'You may return any lamp within 45 days of the purchase, in its own box.'),
};

it.skipIf(!server).each(['is back', 'stays away'])(
  'a model that wrote searches is asked once, and counted, where the database is lost after it and %s',
  async (then) => {
    const schema = await makeSchema(server!.url);
    const network = await startTcpProxy(Number(new URL(schema.url).port || 5432));
    const url = new URL(schema.url);
    [url.hostname, url.port] = ['127.0.0.1', String(network.port)];
    let goOn: () => void = () => {};
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    const queries = ['How much is the Pim?', 'How long may I return a lamp?'];
    const written: Script = { pieces: [JSON.stringify({ queries })], totalTokens: 30, hold };
    const answer: Script = { pieces: ['80 euros, and 45 days.'], totalTokens: 100 };
    const model = await startFakeModel({ script: ({ body }) => (body.response_format ? written : answer) });
    const lamps = await site(PAGES);
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake', FETCH_ALLOW: lamps.host };
    const docent = await start({ DATABASE_URL: url.href, ...env });
    const { uuid: chatbot } = (await docent.api('POST', '/chatbot/create', { name: 'Lamps' })).body;
    for (const path of Object.keys(PAGES))
      await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: lamps.base + path });
    await until(
      () => docent.api('GET', `/chatbot/${chatbot}/data-sources`),
      ({ body }) => body.every(({ status }: { status: string }) => status === 'success'),
    );
    const { uuid: session } = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body;
    const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    const query = 'What does the Pim cost? And until when may I return a lamp?';
    const reply = docent.api('POST', `/session/${session}/message/non-stream`, { query });
    await until(
      async () => model.requests,
      ({ length }) => length === 1,
    );
    // The searches that are written now have to read what has changed.
    await sql`update passages set version = version + 1`;
    await docent.api('GET', `/chatbot/${chatbot}`);
    network.cut();
    goOn();
    if (then === 'is back') {
      await wait(1000);
      network.mend();
    }
    expect((await reply).status).toBe(then === 'is back' ? 200 : 503);
    network.mend();
    const isSearch = model.requests.map(({ body }) => body.response_format !== undefined);
    expect(isSearch).toEqual(then === 'is back' ? [true, false] : [true]);
    const usage = await until(
      () => sql<{ tokens: number }[]>`select sum(tokens)::integer as tokens from usage`,
      ([row]) => row!.tokens > 0,
    );
    expect(usage).toEqual([{ tokens: then === 'is back' ? 130 : 30 }]);
    await sql.end();
    await docent.stop();
    await Promise.all([model.close(), lamps.close(), network.close()]);
    await schema.drop();
  },
  120_000,
);
