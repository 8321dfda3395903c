import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

async function team() {
  const bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  const first = (await docent.api('GET', `/chatbot/${bot}/agents`)).body[0].uuid;
  const tags = (await docent.api('POST', `/chatbot/${bot}/agent/create`, { name: 'Tags', type: 'background' })).body
    .uuid;
  const variables = [{ name: 'plan', type: 'string', default_value: { content: '', static: 0 } }];
  await docent.api('POST', `/agent/${first}/update`, { variables });
  return { first, tags };
}

it('refuses a rule on the last agent that names none of the chatbot that answers, with its place', async () => {
  const { first, tags } = await team();
  const other = await team();
  const path = `/agent/${first}/routing`;
  for (const last_agent of [tags, other.first, 'b'.repeat(32)]) {
    const rules = [{ contains: ['a'] }, { any: [{ last_agent: first }, { all: [{ last_agent }] }] }];
    const { status, body } = await docent.api('POST', path, { examples: ['new'], rules });
    expect([status, body.field]).toEqual([422, 'rules[1].any[1].all[0].last_agent']);
  }
  expect((await docent.api('GET', path)).body).toEqual({ examples: [], rules: [] });
  expect((await docent.api('POST', path, { rules: [{ last_agent: first }] })).status).toBe(200);
});

it('takes a rule on a variable that no agent declares, which a page may send, and names its place in a header', async () => {
  const { first } = await team();
  const warned = async (name: string) => {
    const rules = [{ variable: { name: 'plan', set: true } }, { all: [{ variable: { name, set: true } }] }];
    const { status, headers } = await docent.api('POST', `/agent/${first}/routing`, { rules });
    return [status, headers.get('x-warnings')];
  };
  expect(await warned('plan')).toEqual([200, null]);
  expect(await warned('pln')).toEqual([200, 'rules[1].all[0].variable.name: no agent declares it']);
});

it('says that a background agent never answers', async () => {
  const { tags } = await team();
  const { headers } = await docent.api('POST', `/agent/${tags}/routing`, { rules: [{ contains: ['a'] }] });
  expect(headers.get('x-warnings')).toBe('agent: a background agent never answers');
});
