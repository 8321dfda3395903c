import { appendFile, copyFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { json, openShop, visit, type Shop } from '../../answer/tools/fixture.ts';
import type { Script, SeenRequest } from '../../fakes/model.ts';
import { post } from '../../proxy/fixture.ts';
import { start, until, type Running } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { tracesOf } from './traces.ts';

/** Of a user that was removed with all chatbots nothing is left, in no file and in no table. */

const CANARY = 'KanarienvogelXylophon';
const PARAMETERS = { type: 'object', properties: { order: { type: 'string' } } };

/** Calls the function that the question is about, and then says so. */
function script({ body }: SeenRequest): Script {
  const { role, content } = body.messages.at(-1)!;
  const [name] = /stock|cancel/.exec(content ?? '') ?? [];
  if (!body.tools || role === 'tool' || !name) return { pieces: [`Here is your order, ${CANARY}.`] };
  return { toolCalls: [{ name, arguments: { order: CANARY } }] };
}

const database = await startPostgres();
afterAll(() => database?.stop());

describe.each(database ? ['files', 'postgres'] : ['files'])('on %s', (engine) => {
  let schema: Schema | undefined;
  let shop: Shop;
  let docent: Running;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    schema = engine === 'postgres' ? await makeSchema(database!.url) : undefined;
    env = schema ? { DATABASE_URL: schema.url } : {};
    shop = await openShop(env, true, undefined, script);
    docent = shop.docent;
  });
  afterEach(async () => {
    if (docent !== shop.docent) await docent.stop();
    await shop.close();
    await schema?.drop();
  });

  async function command(...words: string[]): Promise<string> {
    let said = '';
    const write = (text: string): void => void (said += text);
    await runCommand(words, { ...env, DATA_DIR: docent.dataDir }, { out: write, err: write });
    return said;
  }

  const traces = (): Promise<string[]> => tracesOf(CANARY, docent.dataDir, schema?.url);

  /** A user with a chatbot that has the canary wherever a text may be. Resolves with the session of its conversation. */
  async function makeUser(): Promise<string> {
    await command('user', 'add', `${CANARY}@example.com`);
    const key = (await command('key', 'add', `${CANARY}@example.com`, '--name', CANARY)).split('\n')[0]!;
    const api = async (method: string, path: string, body?: object | FormData) => {
      const isForm = body instanceof FormData;
      const headers = {
        authorization: `Bearer ${key}`,
        ...(!isForm && body && { 'content-type': 'application/json' }),
      };
      const sent = isForm ? body : body && JSON.stringify(body);
      const reply = await fetch(`${docent.base}/api/v1${path}`, { method, headers, ...(sent && { body: sent }) });
      const parsed = await reply.json();
      expect({ path, status: reply.status, parsed }).toMatchObject({ status: 200 });
      return { status: reply.status, headers: reply.headers, body: parsed };
    };
    const create = async (path: string, body: object | FormData): Promise<string> =>
      ((await api('POST', path, body)).body as { uuid: string }).uuid;

    shop.tool.reply = (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>${CANARY}</title><p>The ${CANARY} leaves at nine.</p>`);
    const chatbot = await create('/chatbot/create', { name: CANARY, visibility: 'public', rate_limit: [100, 1] });
    const form = new FormData();
    form.set('file', new Blob([`# ${CANARY}\n\nThe ${CANARY} leaves at nine.\n`]), `${CANARY}.md`);
    await create(`/chatbot/${chatbot}/data-source/upload`, form);
    await create(`/chatbot/${chatbot}/data-source/qa`, { question: `${CANARY}?`, answer: CANARY });
    await create(`/chatbot/${chatbot}/data-source/url`, { url: `${shop.tool.base}/${CANARY}` });
    await create(`/chatbot/${chatbot}/data-source/site`, { url: `${shop.tool.base}/site/${CANARY}` });
    await create(`/chatbot/${chatbot}/source-tags/create`, { name: CANARY, color: '#000000' });
    await until(
      async () => (await api('GET', `/chatbot/${chatbot}/data-sources`)).body as { status: string }[],
      (sources) => sources.length >= 4 && sources.every(({ status }) => status === 'success'),
    );
    const { body: agents } = await api('GET', `/chatbot/${chatbot}/agents`);
    const [{ uuid: agent }] = agents as [{ uuid: string }];
    const address = { external_url: `${shop.tool.base}/stock?${CANARY}`, parameters: PARAMETERS };
    await create(`/agent/${agent}/function/create`, { ...address, name: 'stock' });
    const asking = { class: 'ask', step: `Cancel it, ${CANARY}` };
    await create(`/agent/${agent}/function/create`, { ...address, name: 'cancel', meta: asking });
    const fields = [{ name: 'first_name', label: CANARY, kind: 'text' }];
    const parts = [{ type: 'form', fields, submit: 'Subscribe me to the newsletter' }];
    const letter = { name: CANARY, type: 'pre-canned', default_message: CANARY, parts };
    const newsletter = await create(`/chatbot/${chatbot}/agent/create`, letter);
    await api('POST', `/agent/${newsletter}/routing`, { examples: [parts[0]!.submit] });
    await api('POST', `/agent/${newsletter}/update`, { enabled: true, variables: [{ name: 'first_name' }] });

    const own: Shop = { ...shop, chatbot, agent, docent: { ...docent, api } };
    shop.tool.reply = json({ found: CANARY });
    const { session } = await visit(own, parts[0]!.submit, { variables: { first_name: CANARY } });
    const called = await visit(own, 'Is it in stock?', { session });
    expect(called.meta.functions_called).toHaveLength(1);
    expect((await visit(own, 'Please cancel my order', { session })).confirm).toBeDefined();
    const { uuid } = await visit(own, 'Please cancel my other order', { session });
    const message = `${docent.base}/chat/${chatbot}/session/${session}/message`;
    await (await post(`${message}/${uuid}/confirm`, { accept: true })).text();
    await post(`${message}/${called.uuid}/feedback`, { rating: -1, comment: CANARY });
    return session;
  }

  it('a user with all that chatbots may hold', async () => {
    await makeUser();
    expect(await traces()).not.toEqual([]);
    expect(await command('user', 'remove', `${CANARY}@example.com`, '--with-chatbots')).toContain('removed');
    expect(await traces()).toEqual([]);
    expect((await docent.api('GET', '/chatbots')).body).toHaveLength(1);
  });

  it.skipIf(engine === 'postgres')('with temporary files, and those that were set aside', async () => {
    const session = await makeUser();
    await docent.booted.close();
    const held = await traces();
    for (const path of held) await copyFile(path, `${path}.tmp`);
    const [conversation = ''] = held.filter((path) => path.includes(session));
    await appendFile(conversation, `{"damaged ${CANARY}\u0000\n`);
    const documents = held.filter((path) => path.endsWith('.document.json'));
    expect(documents.length).toBeGreaterThan(2);
    for (const path of documents.slice(1)) await appendFile(path, CANARY);
    docent = await start({ ...env, DATA_DIR: docent.dataDir });
    // The first change of a damaged conversation copies it.
    const [, chatbot] = conversation.split('.');
    await (await post(`${docent.base}/chat/${chatbot}/ask`, { query: CANARY, session })).text();
    const aside = (await traces()).filter((path) => path.endsWith('.damaged'));
    expect(aside.filter((path) => path.includes(session))).toHaveLength(1);
    expect(aside.length).toBeGreaterThan(1);
    await command('user', 'remove', `${CANARY}@example.com`, '--with-chatbots');
    expect(await traces()).toEqual([]);
  });
});
