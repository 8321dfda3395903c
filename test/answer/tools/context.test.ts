import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { estimateTokens } from '../../../server/model/tokens.ts';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { openShop, seen, toldIn, visit, type Shop } from './fixture.ts';

/** What of calls and their replies a model gets, by the context of the agent's model. */

const FILLER = 'A lamp of steel and glass, that stands on a table or hangs from the ceiling. ';
const CONTEXT = 4000;

let shop: Shop;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-context-'));
  const models = join(folder, 'models.json');
  await writeFile(models, JSON.stringify({ small: { context: CONTEXT }, large: { context: 200_000 } }));
  shop = await openShop({ MODELS_FILE: models });
  for (let at = 1; at <= 8; at += 1)
    await shop.docent.api('POST', `/chatbot/${shop.chatbot}/data-source/qa`, {
      question: `What is lamp ${at} like?`,
      answer: `Lamp ${at}: ${FILLER.repeat(7)}`,
    });
});
afterEach(() => shop.removeFunctions());
afterAll(async () => {
  await shop.close();
  await rm(folder, { recursive: true, force: true });
});

const useModel = (model: string) => shop.docent.api('POST', `/agent/${shop.agent}/update`, { model });
const calling = (name: string, args: object = {}, pieces?: string[]) => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: args }],
  ...(pieces ? { pieces } : {}),
});

/** Tokens of each request, and that each call in it has its reply. */
function tokensOfRequests(): number[] {
  return shop.model.requests.map(({ body }) => {
    const ids = body.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => (one as { id: string }).id));
    expect(body.messages.flatMap((one) => one.tool_call_id ?? [])).toEqual(ids);
    const calls = JSON.stringify(body.messages.map((one) => one.tool_calls ?? ''));
    const contents = body.messages.map(({ content }) => content ?? '').join('');
    return estimateTokens(contents) + estimateTokens(calls) + estimateTokens(JSON.stringify(body.tools ?? ''));
  });
}

const reply = (place: number, of: number): string => String(toldIn(shop, place)[of]!['reply']);

it('replies are shortened where they do not fit, the oldest first', async () => {
  await useModel('small');
  const properties = { note: { type: 'string' } };
  await shop.addFunction({ method: 'GET', parameters: { type: 'object', properties } });
  let n = 0;
  shop.tool.reply = (_, response) => void response.end(`reply ${(n += 1)}: ${FILLER.repeat(15)}`);
  const rounds = [1, 2, 3].map((at) => calling('stock', { note: FILLER.repeat(5) }, [`Look ${at}: ${FILLER}`]));
  shop.model.next(...rounds, { pieces: ['Done.'] });
  expect((await visit(shop, 'What is a lamp like?')).text).toContain('Done.');
  for (const tokens of tokensOfRequests()) expect(tokens).toBeLessThanOrEqual(CONTEXT * 0.75);
  const last = shop.model.requests.length - 1;
  expect([0, 1, 2].map((of) => reply(last, of).includes(`reply ${of + 1}`))).toEqual([true, true, true]);
  expect(reply(last, 0).length).toBeLessThan(300);
  expect(reply(last, 2)).toBe(`reply 3: ${FILLER.repeat(15)}`);
  const before = shop.model.requests[last]!.body.messages.filter(({ tool_calls }) => tool_calls);
  expect([before[0]!.content, before[2]!.content]).toEqual([null, `Look 3: ${FILLER}`]);
});

it('one reply that is larger than the room is cut to it', async () => {
  await useModel('small');
  await shop.addFunction({ method: 'GET' });
  shop.tool.reply = (_, response) => void response.end(`\u0001"${FILLER.repeat(190)}`);
  shop.model.next(calling('stock'), { pieces: ['Done.'] });
  await visit(shop, 'What is a lamp like?');
  const [first, second] = tokensOfRequests();
  expect(first).toBeLessThanOrEqual(CONTEXT / 2);
  expect(second).toBeGreaterThan(CONTEXT * 0.6);
  expect(second).toBeLessThanOrEqual(CONTEXT * 0.75);
});

it('what follows a confirmation is cut as well', async () => {
  await useModel('small');
  await shop.addFunction({ meta: { class: 'ask' } });
  await shop.addFunction({ name: 'read', method: 'GET' });
  shop.tool.reply = (_, response) => void response.end(FILLER.repeat(190));
  shop.model.next(calling('read'), calling('stock'));
  const asked = await visit(shop, 'What is a lamp like?');
  shop.model.next({ pieces: ['Done.'] });
  const path = `/chat/${shop.chatbot}/session/${asked.session}/message/${asked.uuid}/confirm`;
  const { text } = await seen(shop, parseEvents(await (await post(shop.docent.base + path, { accept: true })).text()));
  expect([text, shop.tool.calls.length]).toEqual([expect.stringContaining('Done.'), 2]);
  for (const tokens of tokensOfRequests()) expect(tokens).toBeLessThanOrEqual(CONTEXT * 0.75);
});

it('nothing is cut where it fits', async () => {
  await useModel('large');
  await shop.addFunction({ method: 'GET' });
  shop.tool.reply = (_, response) => void response.end(FILLER.repeat(190));
  shop.model.next(calling('stock', {}, ['Look.']), { pieces: ['Done.'] });
  await visit(shop, 'What is a lamp like?');
  expect(reply(1, 0)).toBe(FILLER.repeat(190));
});
