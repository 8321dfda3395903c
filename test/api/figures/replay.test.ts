import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RoutingReplay } from '../../../server/schema/routing.ts';
import { start, type Running } from '../../running.ts';

/** POST /api/v1/chatbot/{uuid}/agents/replay: which of the messages would go elsewhere by other settings. */

let docent: Running;
let chatbot: string;
let agents: Record<'orders' | 'repairs', string>;
beforeAll(async () => {
  docent = await start();
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Lamps' })).body.uuid;
  const make = async (name: string, examples: string[]): Promise<string> => {
    const made = { name, type: 'user-facing', description: `${name} of lamps` };
    const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/agent/create`, made)).body;
    await docent.api('POST', `/agent/${uuid}/update`, { enabled: true });
    await docent.api('POST', `/agent/${uuid}/routing`, { examples });
    return uuid;
  };
  const [first] = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body;
  await docent.api('POST', `/agent/${first.uuid}/update`, { enabled: false });
  agents = {
    orders: await make('Orders', ['Where is my order?', 'Has my parcel been sent?']),
    repairs: await make('Repairs', ['My lamp is broken', 'Can you repair a switch?']),
  };
});
afterAll(() => docent.stop());

const replay = async (changes: object[]): Promise<RoutingReplay> => {
  const { status, body } = await docent.api('POST', `/chatbot/${chatbot}/agents/replay`, { agents: changes });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const converse = async (queries: string[]): Promise<{ session: string; by: string[] }> => {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  for (const query of queries) await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const messages = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { session, by: messages.map((one: { meta_json: string }) => JSON.parse(one.meta_json).active_agent.name) };
};

it('says what the door then does, and changes nothing', async () => {
  const queries = ['Where is my order?', 'My lamp is broken', 'The switch of my lamp is broken, repair it'];
  expect(await replay([])).toEqual({ replayed: 0, moved: 0, close: 0, messages: [] });
  const sessions = [];
  for (const query of queries) sessions.push(await converse([query]));
  expect(sessions.map(({ by }) => by[0])).toEqual(['Orders', 'Repairs', 'Repairs']);
  const before = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body;

  expect(await replay([])).toMatchObject({ replayed: 3, moved: 0, messages: [] });
  const changes = [{ uuid: agents.repairs, bias: -10 }];
  const replayed = await replay(changes);
  expect(replayed).toMatchObject({ replayed: 3, moved: 2 });
  expect(replayed.messages.map(({ query, from, to }) => [query, from.name, to.name])).toEqual([
    [queries[2], 'Repairs', 'Orders'],
    [queries[1], 'Repairs', 'Orders'],
  ]);
  expect(replayed.messages[0]).toMatchObject({ session: sessions[2]!.session, to: { uuid: agents.orders } });
  expect((await docent.api('GET', `/chatbot/${chatbot}/agents`)).body).toEqual(before);

  await docent.api('POST', `/agent/${agents.repairs}/update`, { bias: -10 });
  for (const query of queries) expect((await converse([query])).by).toEqual(['Orders']);
  await docent.api('POST', `/agent/${agents.repairs}/update`, { bias: 0 });
});

it('knows the messages before one in its session: stickness holds a follow-up', async () => {
  await converse(['My lamp is broken', 'Where is it?']);
  const without = await replay([]);
  const more = await replay([
    { uuid: agents.repairs, stickness: 1 },
    { uuid: agents.orders, bias: -0.2 },
  ]);
  expect(more.replayed).toBe(without.replayed);
  expect(more.messages.every(({ to }) => to.name === 'Repairs')).toBe(true);
});

it('refuses an agent of another chatbot, and settings out of range, by their field', async () => {
  const other = (await docent.api('POST', '/chatbot/create', { name: 'Other' })).body.uuid;
  const [foreign] = (await docent.api('GET', `/chatbot/${other}/agents`)).body;
  for (const sent of [
    { uuid: foreign.uuid },
    { uuid: agents.orders, bias: 2 },
    { uuid: agents.orders, stickness: -1 },
  ]) {
    const reply = await docent.api('POST', `/chatbot/${chatbot}/agents/replay`, { agents: [sent] });
    expect([reply.status, reply.body.code]).toEqual([422, 'invalid_field']);
    expect(reply.body.field).toMatch(/^agents/);
  }
});
