import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

/** What is stored and does not act as it may be meant is named in `X-Warnings`, and nothing of it is refused. */

let docent: Running;
beforeAll(async () => void (docent = await start({ FETCH_ALLOW: '10.0.0.7:8443' })));
afterAll(() => docent.stop());

const URL = 'https://93.184.215.14/stock?kind=all';
const DESCRIBED = { name: 'stock', description: 'What is there.', external_url: URL };

const warned = async (path: string, body: object) => {
  const { status, headers } = await docent.api('POST', path, body);
  return [status, headers.get('x-warnings')];
};
const newChatbot = async (): Promise<string> =>
  (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
const agentOf = async (type: string): Promise<string> =>
  (await docent.api('POST', `/chatbot/${await newChatbot()}/agent/create`, { name: 'A', type })).body.uuid;
const declare = (agent: string, ...names: string[]) =>
  docent.api('POST', `/agent/${agent}/update`, { variables: names.map((name) => ({ name })) });
const addFunction = (agent: string, fields: object = {}) =>
  warned(`/agent/${agent}/function/create`, { ...DESCRIBED, ...fields });

const BLOCKED = 'external_url: is not public, and is not called unless FETCH_ALLOW of the server has its host:port';
const ALIKE = 'name: another function of the agent has it too: the model calls one of them by another name';

describe('a tool function', () => {
  it.each<[object, string | null]>([
    [{}, null],
    [
      { method: 'GET', meta: { class: 'read', step: 'Looking', examples: ['Is it there?'], label: 'x', note: 1 } },
      null,
    ],
    [{ name: 'bad name!' }, 'name: the model calls it bad_name_'],
    [{ name: 'Prüfen' }, 'name: the model calls it Pr_fen'],
    [{ description: ' ' }, 'description: is empty: the model picks functions by it'],
    [{ meta: { stepp: 'Looking' } }, 'meta.stepp: does nothing; is meta.step meant?'],
    [{ meta: { 'ste\n': 'x' } }, 'meta.ste%0A: does nothing; is meta.step meant?'],
    [{ meta: { examples: ['Cancel it'] } }, 'meta.examples: call functions of the class read only'],
    [
      { name: 'a b', meta: { exmaples: ['x'], clas: 'ask' } },
      'name: the model calls it a_b; meta.exmaples: does nothing; is meta.examples meant?; meta.clas: does nothing; is meta.class meant?',
    ],
    [{ external_url: 'http://10.0.0.7/stock' }, BLOCKED],
    [{ external_url: 'http://localhost:3000/{{order}}' }, BLOCKED],
    [{ external_url: 'https://10.0.0.7:8443/stock' }, null],
    [{ external_url: `${URL}&order={{order}}&page={{page}}` }, null],
    [
      { external_url: `${URL}&order={{ordre}}`, headers: { 'X-Plan': '{{plan}}' } },
      'external_url: no agent declares {{ordre}}; is {{order}} meant?; headers: no agent declares {{plan}}',
    ],
    [
      { parameters: { type: 'object', properties: { a: { type: 'string', default: '{{ß}}' } } } },
      'parameters: no agent declares {{%C3%9F}}',
    ],
  ])('%j is stored, and warned of', async (fields, header) => {
    const agent = await agentOf('user-facing');
    await declare(agent, 'order');
    expect(await addFunction(agent, fields)).toEqual([200, header]);
  });

  it.each([
    [195, 450],
    [36, 2000],
  ])('of undeclared names of %i units, %i of them, is stored at once, with ten warnings', async (length, count) => {
    const name = (letter: string, number: number): string =>
      letter.repeat(length - 5) + String(number).padStart(5, '0');
    const agent = await agentOf('user-facing');
    await declare(agent, ...Array.from({ length: 100 }, (_, at) => name('v', at)));
    const default_ = Array.from({ length: count }, (_, at) => `{{${name('w', at)}}}`).join('');
    const parameters = { type: 'object', properties: { a: { type: 'string', default: default_ } } };
    const before = process.cpuUsage();
    const [status, header] = await addFunction(agent, { parameters });
    const { user } = process.cpuUsage(before);
    expect([status, String(header).split('; ').slice(9)]).toEqual([
      200,
      [`parameters: no agent declares {{${name('w', 9)}}}`, '...'],
    ]);
    expect(user / 1000).toBeLessThan(1500);
  });

  it('is warned of when it is updated, too', async () => {
    const agent = await agentOf('user-facing');
    const fields = { ...DESCRIBED, name: 'in stock' };
    const { uuid } = (await docent.api('POST', `/agent/${agent}/function/create`, fields)).body;
    const header = 'name: the model calls it in_stock';
    expect(await warned(`/function/${uuid}/update`, { meta: {} })).toEqual([200, header]);
    expect(await warned(`/function/${uuid}/update`, { name: 'in_stock' })).toEqual([200, null]);
  });

  it('is warned of where its agent has another that is called so, unless one of them is off', async () => {
    const agent = await agentOf('user-facing');
    expect(await addFunction(agent, { name: 'in_stock' })).toEqual([200, null]);
    expect(await addFunction(agent, { name: 'in_stock', enabled: 0 })).toEqual([200, null]);
    expect(await addFunction(agent, { name: 'in_stock' })).toEqual([200, ALIKE]);
  });

  it('is warned of where its agent calls none', async () => {
    const header = 'agent: only user-facing agents call functions, not background';
    expect(await addFunction(await agentOf('background'))).toEqual([200, header]);
  });
});

describe('an agent', () => {
  it.each<[type: string, body: object, header: string | null]>([
    ['user-facing', { name: 'B', prompt: 'Call them {{name}}.', meta: { bias: 0.5 } }, null],
    ['user-facing', { promt: 'x' }, 'promt: is ignored; is prompt meant?'],
    ['user-facing', { meta: { temprature: 1 } }, 'meta.temprature: is ignored; is meta.temperature meant?'],
    [
      'user-facing',
      { colour: 'x', 'a;b': 1 },
      'colour: is ignored: there is no such field; a%3Bb: is ignored: there is no such field',
    ],
    ['user-facing', { default_message: 'Hi' }, 'default_message: is ignored: user-facing agents have none'],
    ['pre-canned', { meta: { tags: [] } }, 'meta.tags: is ignored: pre-canned agents have none'],
    [
      'pre-canned',
      { human_escalation_settings: {} },
      'human_escalation_settings: is ignored: pre-canned agents have none',
    ],
    ['pre-canned', { type: 'background' }, 'type: is ignored: this request does not change it'],
    ['user-facing', { prompt: 'Hi {{nmae}}, {{nmae}}' }, 'prompt: no agent declares {{nmae}}; is {{name}} meant?'],
    ['pre-canned', { default_message: 'Of {{plan}}' }, 'default_message: no agent declares {{plan}}'],
    [
      'human-escalation',
      { human_escalation_settings: { human_requested_message: '{{plan}}' } },
      'human_escalation_settings.human_requested_message: no agent declares {{plan}}',
    ],
  ])('%s is updated with %j, and warned of', async (type, body, header) => {
    const agent = await agentOf(type);
    await declare(agent, 'name');
    expect(await warned(`/agent/${agent}/update`, body)).toEqual([200, header]);
  });

  it.each(['user-facing', 'human-escalation', 'pre-canned'])('%s may be sent back as it is', async (type) => {
    const agent = await agentOf(type);
    await addFunction(agent);
    const { body } = await docent.api('GET', `/agent/${agent}`);
    expect(await warned(`/agent/${agent}/update`, body)).toEqual([200, null]);
  });

  it('is warned of when it is created, too, and finds the variables of all agents', async () => {
    const bot = await newChatbot();
    const [{ uuid }] = (await docent.api('GET', `/chatbot/${bot}/agents`)).body;
    await declare(uuid, 'plan');
    const fields = { name: 'B', type: 'pre-canned', default_message: '{{plan}} {{plans}}', promt: 'x' };
    expect(await warned(`/chatbot/${bot}/agent/create`, fields)).toEqual([
      200,
      'promt: is ignored; is prompt meant?; default_message: no agent declares {{plans}}; is {{plan}} meant?',
    ]);
  });
});
