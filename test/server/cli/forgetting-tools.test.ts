import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { json, openShop, visit, type Shop } from '../../answer/tools/fixture.ts';
import type { Script, SeenRequest } from '../../fakes/model.ts';
import { post } from '../../proxy/fixture.ts';
import { API_KEY, until } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { tracesOf } from './traces.ts';

/** What tools, forms, suggestions and repeated requests have stored of a conversation goes with it. */

const CANARY = 'KanarienvogelXylophon';
const ORDER = { type: 'object', properties: { order: { type: 'string' } } };
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
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    schema = engine === 'postgres' ? await makeSchema(database!.url) : undefined;
    env = schema ? { DATABASE_URL: schema.url } : {};
    // The server's clock, which stands still otherwise.
    vi.useFakeTimers({ toFake: ['Date'] });
    shop = await openShop(env, true, undefined, script);
  });
  afterEach(async () => {
    await shop.close();
    vi.useRealTimers();
    await schema?.drop();
  });

  const traces = (): Promise<string[]> => tracesOf(CANARY, shop.docent.dataDir, schema?.url);
  const at = (path: string): string => `${shop.docent.base}/chat/${shop.chatbot}${path}`;
  async function command(...words: string[]): Promise<string> {
    let said = '';
    const write = (text: string): void => void (said += text);
    await runCommand(words, { ...env, DATA_DIR: shop.docent.dataDir }, { out: write, err: write });
    return said;
  }

  /** A conversation with the canary in each place that is not a question or an answer. */
  async function talk(): Promise<string> {
    await shop.addFunction({ name: 'stock', parameters: ORDER });
    await shop.addFunction({ name: 'cancel', parameters: ORDER, meta: { class: 'ask', step: 'Cancel it' } });
    shop.tool.reply = json({ found: CANARY });
    const form = {
      type: 'form',
      fields: [{ name: 'first_name', label: 'First name', kind: 'text' }],
      submit: 'Subscribe me to the newsletter',
    };
    const fields = { name: 'Newsletter', type: 'pre-canned', default_message: 'Here.', parts: [form] };
    const { uuid: agent } = (await shop.docent.api('POST', `/chatbot/${shop.chatbot}/agent/create`, fields)).body;
    await shop.docent.api('POST', `/agent/${agent}/routing`, { examples: [form.submit] });
    await shop.docent.api('POST', `/agent/${agent}/update`, { enabled: true, variables: [{ name: 'first_name' }] });

    const variables = { first_name: CANARY };
    const { session } = await visit(shop, form.submit, { variables });
    const called = await visit(shop, 'Is it in stock?', { session });
    expect(called.meta.functions_called).toHaveLength(1);
    const waiting = await visit(shop, 'Please cancel my order', { session });
    expect(waiting.confirm).toMatchObject({ arguments: { order: CANARY } });
    const confirmed = await visit(shop, 'Please cancel my other order', { session });
    await (await post(at(`/session/${session}/message/${confirmed.uuid}/confirm`), { accept: true })).text();
    await post(at(`/session/${session}/message/${called.uuid}/feedback`), { rating: -1, comment: CANARY });

    const reply = await fetch(`${shop.docent.base}/api/v1/session/${session}/message/non-stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'idempotency-key': 'key-1' },
      body: JSON.stringify({ query: `How long may I return a lamp, ${CANARY}?` }),
    });
    expect(reply.status).toBe(200);
    return session;
  }

  /** Two days later. */
  async function keepForADay(): Promise<void> {
    vi.setSystemTime(Date.now() + 2 * 86_400_000);
    expect(await command('chatbot', 'update', shop.chatbot, '--keep-days', '1')).toContain('deleted 1 conversation');
  }

  it.each<[string, (session: string) => Promise<unknown>]>([
    ['its visitor', (session) => post(at(`/session/${session}/delete`), {})],
    ['its owner', (session) => shop.docent.api('POST', `/session/${session}/delete`)],
    ['docent forget', (session) => command('forget', session)],
    ['its retention', () => keepForADay()],
    ['the end of its chatbot', () => shop.docent.api('DELETE', `/chatbot/${shop.chatbot}/delete`)],
  ])('deletes a conversation by %s', async (_, remove) => {
    const session = await talk();
    expect(await traces()).not.toEqual([]);
    await remove(session);
    expect(await traces()).toEqual([]);
  });

  it('deletes a session that was made by a request with a key, and the reply that is kept for it', async () => {
    const created = await fetch(`${shop.docent.base}/api/v1/chatbot/${shop.chatbot}/session/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'idempotency-key': 'key-2' },
      body: JSON.stringify({ initial_variables: { name: CANARY } }),
    });
    expect(await traces()).not.toEqual([]);
    await shop.docent.api('POST', `/session/${((await created.json()) as { uuid: string }).uuid}/delete`);
    expect(await traces()).toEqual([]);
  });

  it('deletes a source with the suggestion that was made of it', async () => {
    const pair = { question: `Where does the ${CANARY} live?`, answer: `The ${CANARY} lives in the garden.` };
    const { uuid } = (await shop.docent.api('POST', `/chatbot/${shop.chatbot}/data-source/qa`, pair)).body;
    const shown = async () => (await (await fetch(at(''))).json()) as { suggestions: string[] };
    await until(shown, ({ suggestions }) => suggestions.some((one) => one.includes(CANARY)));
    await shop.docent.api('POST', `/data-source/${uuid}/delete`);
    expect(await traces()).toEqual([]);
    expect((await shown()).suggestions.join(' ')).not.toContain(CANARY);
  });
});
