import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

/** An update of an agent with its routing: all of it is stored, or nothing. */

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

async function team() {
  const bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  return (await docent.api('GET', `/chatbot/${bot}/agents`)).body[0].uuid as string;
}
const routingOf = async (uuid: string) => (await docent.api('GET', `/agent/${uuid}/routing`)).body;
const update = (uuid: string, body: unknown) => docent.api('POST', `/agent/${uuid}/update`, body);

it('stores fields and routing with one request', async () => {
  const uuid = await team();
  const routing = { examples: ['Where is it?'], rules: [{ contains: ['parcel'] }] };
  const { status, body } = await update(uuid, { name: 'Parcels', routing });
  expect([status, body.name]).toEqual([200, 'Parcels']);
  expect(body).not.toHaveProperty('routing');
  expect(await routingOf(uuid)).toEqual(routing);
  await update(uuid, { routing: { examples: [] } });
  expect(await routingOf(uuid)).toEqual({ ...routing, examples: [] });
  await update(uuid, { name: 'Other', routing: null });
  expect(await routingOf(uuid)).toEqual({ ...routing, examples: [] });
});

it('stores none of the fields where a rule or an example is wrong, and names its place', async () => {
  const uuid = await team();
  const before = (await docent.api('GET', `/agent/${uuid}`)).body;
  for (const [field, routing] of [
    ['routing', 7],
    ['routing.examples', { examples: ['  '] }],
    ['routing.rules[1].contains', { rules: [{ contains: ['a'] }, { contains: [] }] }],
    ['routing.rules[0].last_agent', { rules: [{ last_agent: 'b'.repeat(32) }] }],
  ] as const) {
    const reply = await update(uuid, { name: 'Changed', variables: [{ name: 'x' }], routing });
    expect([reply.status, reply.body.field]).toEqual([422, field]);
  }
  expect((await docent.api('GET', `/agent/${uuid}`)).body).toEqual(before);
  expect(await routingOf(uuid)).toEqual({ examples: [], rules: [] });
});

it('stores no rule where another field is wrong', async () => {
  const uuid = await team();
  const routing = { rules: [{ contains: ['a'] }] };
  expect((await update(uuid, { variables: [{ name: '' }], routing })).body.field).toBe('variables');
  expect((await update(uuid, { data_source_uuids: ['b'.repeat(32)], routing })).status).toBe(422);
  expect(await routingOf(uuid)).toEqual({ examples: [], rules: [] });
});

it('knows the variables that the same request declares', async () => {
  const uuid = await team();
  const routing = { rules: [{ variable: { name: 'plan', set: true } }, { variable: { name: 'pln', set: true } }] };
  const { headers } = await update(uuid, { variables: [{ name: 'plan' }], routing });
  expect(headers.get('x-warnings')).toBe('routing.rules[1].variable.name: no agent declares it');
});
