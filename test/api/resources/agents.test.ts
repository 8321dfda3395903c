import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreOf } from '../../engine/engine.ts';
import { startFakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

let docent: Running;
let shop: Awaited<ReturnType<typeof site>>;
beforeAll(async () => {
  shop = await site({ '/hours': '<title>Hours</title><main><p>The workshop is open from nine to five.</p></main>' });
  docent = await start({ FETCH_ALLOW: shop.host });
});
afterAll(async () => {
  await docent.stop();
  await shop.close();
});

const UUID = /^[0-9a-f]{32}$/;
const NOWHERE = '0'.repeat(32);
const TYPES = ['user-facing', 'background', 'human-escalation', 'pre-canned', 'spam-defense'];

const chatbot = async (): Promise<string> => (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
const create = (bot: string, body: unknown) => docent.api('POST', `/chatbot/${bot}/agent/create`, body);
const agentOf = async (type: string, body: object = {}) =>
  (await create(await chatbot(), { name: 'A', type, ...body })).body;
const update = (uuid: string, body: unknown) => docent.api('POST', `/agent/${uuid}/update`, body);
const fetched = async (uuid: string) => (await docent.api('GET', `/agent/${uuid}`)).body;

const MODEL = { model: 'llm-4o-mini-4k', temperature: 0 };
const CHOICE = { bias: 0, stickness: 0 };
const META: Record<string, object> = {
  'user-facing': { ...MODEL, ...CHOICE, use_all_sources: true },
  background: { ...MODEL, tags: [] },
  'human-escalation': { ...MODEL, ...CHOICE },
  'pre-canned': { ...MODEL, ...CHOICE, default_message: '' },
  'spam-defense': { ...MODEL, ...CHOICE, default_message: '' },
};
const ESCALATION = {
  human_requested_message: '',
  live_chat_start_announcement: '',
  live_chat_end_announcement: '',
  monitored_messages: [],
  notifications_enabled: 1,
  sound_enabled: 1,
};

describe('a new agent', () => {
  it.each(TYPES)('of type %s has exactly the keys and defaults of its type', async (type) => {
    const bot = await chatbot();
    const { status, body } = await create(bot, { name: 'A', type, enabled: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      uuid: expect.stringMatching(UUID),
      name: 'A',
      prompt: '',
      description: '',
      type,
      created_at: expect.any(String),
      modified_at: body.created_at,
      enabled: 0,
      meta: META[type],
      data_source_uuids: [],
      tool_functions: [],
      variables: [],
      ...(type === 'human-escalation' ? { human_escalation_settings: ESCALATION } : {}),
    });
    expect(await fetched(body.uuid)).toEqual(body);
    expect((await docent.api('GET', `/chatbot/${bot}/agents`)).body[1]).toEqual(body);
  });

  it('is refused where the chatbot has a hundred', async () => {
    const bot = await chatbot();
    const made = await Promise.all(Array.from({ length: 100 }, () => create(bot, { name: 'A', type: 'pre-canned' })));
    const refused = made.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([[422, 'invalid_field']]);
    expect((await docent.api('GET', `/chatbot/${bot}/agents`)).body).toHaveLength(100);
  });

  it('takes its settings from the top level and from meta, and the top level wins', async () => {
    const settings = { model: 'gpt-4o-1k', temperature: 1, bias: -10, stickness: 0.5, use_all_sources: false };
    expect((await agentOf('user-facing', settings)).meta).toEqual(settings);
    expect((await agentOf('user-facing', { meta: settings })).meta).toEqual(settings);
    const both = await agentOf('user-facing', { temperature: 0.25, meta: settings });
    expect(both.meta).toEqual({ ...settings, temperature: 0.25 });
  });

  it('takes any model name and gives it back as it was sent', async () => {
    for (const model of ['my own / model 7b', 'constructor', 'LLM-4O', '模型']) {
      expect((await agentOf('background', { model })).meta.model).toBe(model);
    }
  });

  it('neither keeps nor checks a setting that is foreign to its type', async () => {
    const foreign = { default_message: 7, tags: 'none', human_escalation_settings: 1, meta: { tags: [null] } };
    expect((await agentOf('user-facing', foreign)).meta).toEqual(META['user-facing']);
    const background = { bias: 'x', stickness: 2, use_all_sources: null, meta: { default_message: '\u0000' } };
    expect((await agentOf('background', background)).meta).toEqual(META['background']);
    const agent = await agentOf('pre-canned', { meta: { use_all_sources: {} }, human_escalation_settings: ESCALATION });
    expect(agent.meta).toEqual(META['pre-canned']);
    expect(agent).not.toHaveProperty('human_escalation_settings');
  });

  it('keeps the tags of a background agent, one object being a list of one', async () => {
    const tag = { name: 'Refund', color: '#aBc123', criteria: 'asks for money back' };
    expect((await agentOf('background', { tags: [tag, tag] })).meta.tags).toEqual([tag, tag]);
    expect((await agentOf('background', { tags: tag })).meta.tags).toEqual([tag]);
    expect((await agentOf('background', { meta: { tags: { ...tag, more: 1 } } })).meta.tags).toEqual([tag]);
  });

  it('starts with no variables, whatever is sent', async () => {
    expect((await agentOf('user-facing', { variables: [{ name: 'order' }] })).variables).toEqual([]);
  });

  it.each(['human-escalation', 'spam-defense'])('of type %s is the only one of its chatbot', async (type) => {
    const bot = await chatbot();
    const all = await Promise.all(Array.from({ length: 8 }, () => create(bot, { name: 'A', type })));
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(422)]);
    expect(all.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'invalid_field', field: 'type' });
    expect((await docent.api('GET', `/chatbot/${bot}/agents`)).body).toHaveLength(2);

    const made = all.find(({ status }) => status === 200)?.body.uuid;
    expect((await docent.api('DELETE', `/agent/${made}/delete`)).status).toBe(200);
    expect((await create(bot, { name: 'A', type })).status).toBe(200);
  });

  it('may stand beside others of its name and type', async () => {
    const bot = await chatbot();
    for (const type of ['user-facing', 'background', 'pre-canned']) {
      for (const name of ['A', 'A']) expect((await create(bot, { name, type })).status).toBe(200);
    }
    const agents = (await docent.api('GET', `/chatbot/${bot}/agents`)).body;
    expect(agents.map((agent: { type: string }) => agent.type)).toEqual([
      'user-facing',
      ...['user-facing', 'background', 'pre-canned'].flatMap((type) => [type, type]),
    ]);
  });
});

describe('an update of an agent', () => {
  it('changes what is sent and keeps the rest', async () => {
    const made = await agentOf('user-facing', { prompt: 'Be brief.', bias: 0.5 });
    const first = (await update(made.uuid, { name: 'B', enabled: true, temperature: 0.5 })).body;
    expect(first).toEqual({
      ...made,
      name: 'B',
      enabled: 1,
      meta: { ...made.meta, temperature: 0.5 },
      modified_at: first.modified_at,
    });
    const second = (await update(made.uuid, { description: 'd', meta: { model: 'x' } })).body;
    expect(second).toMatchObject({ name: 'B', prompt: 'Be brief.', description: 'd', enabled: 1 });
    expect(second.meta).toEqual({ ...made.meta, temperature: 0.5, model: 'x' });
    expect(first.modified_at > made.modified_at).toBe(true);
    expect(second.modified_at > first.modified_at).toBe(true);
    expect(await fetched(made.uuid)).toEqual(second);
  });

  it('switches an agent on and off by booleans and by numbers', async () => {
    const { uuid } = await agentOf('background');
    for (const [sent, shown] of [
      [true, 1],
      [false, 0],
      [1, 1],
      [0, 0],
    ]) {
      expect((await update(uuid, { enabled: sent })).body.enabled).toBe(shown);
    }
  });

  it('replaces the variables, with defaults for what is not said of one', async () => {
    const { uuid } = await agentOf('user-facing');
    const whole = {
      name: 'order',
      description: '',
      example: '',
      type: 'number',
      default_value: { content: '7', static: 1 },
    };
    const sent = [{ ...whole, extra: true }, { name: 'bare' }, { name: 'part', default_value: { content: 'x' } }];
    const { variables } = (await update(uuid, { variables: sent })).body;
    const rest = { description: '', example: '', type: 'string' };
    expect(variables).toEqual([
      whole,
      { name: 'bare', ...rest, default_value: { content: '', static: 0 } },
      { name: 'part', ...rest, default_value: { content: 'x', static: 0 } },
    ]);
    expect((await update(uuid, { name: 'still' })).body.variables).toEqual(variables);
    expect((await update(uuid, { variables: [] })).body.variables).toEqual([]);
  });

  it('changes one escalation setting and keeps the other five', async () => {
    const { uuid } = await agentOf('human-escalation');
    const set = (human_escalation_settings: object) => update(uuid, { human_escalation_settings });
    await set({ human_requested_message: 'Somebody comes.', monitored_messages: ['help', ''] });
    const { body } = await set({ notifications_enabled: false, sound_enabled: true, unheard: 'of' });
    expect(body.human_escalation_settings).toEqual({
      ...ESCALATION,
      human_requested_message: 'Somebody comes.',
      monitored_messages: ['help', ''],
      notifications_enabled: 0,
    });
    expect((await set({ notifications_enabled: 1, sound_enabled: 0 })).body.human_escalation_settings).toMatchObject({
      notifications_enabled: 1,
      sound_enabled: 0,
    });
  });

  it('does not change the type, the identifier or the dates', async () => {
    const made = await agentOf('pre-canned');
    const { body } = await update(made.uuid, {
      type: 'background',
      uuid: NOWHERE,
      created_at: 'then',
      chatbot: NOWHERE,
    });
    expect(body).toEqual({ ...made, modified_at: body.modified_at });
  });

  it('loses none of the fields that two hundred updates at once set', async () => {
    const { uuid } = await agentOf('human-escalation');
    const fields = [
      { name: 'N' },
      { prompt: 'P' },
      { bias: -3 },
      { meta: { stickness: 0.5 } },
      { enabled: 1 },
      { variables: [{ name: 'v' }] },
      { human_escalation_settings: { sound_enabled: 0 } },
      { human_escalation_settings: { live_chat_end_announcement: 'bye' } },
    ];
    const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => update(uuid, fields[i % fields.length])));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(replies.map(({ body }) => body.modified_at)).size).toBe(200);
    expect(await fetched(uuid)).toMatchObject({
      name: 'N',
      prompt: 'P',
      enabled: 1,
      meta: { bias: -3, stickness: 0.5 },
      variables: [{ name: 'v' }],
      human_escalation_settings: { sound_enabled: 0, live_chat_end_announcement: 'bye' },
    });
  });
});

describe('the sources of an agent', () => {
  const learn = async (bot: string): Promise<string> =>
    (await docent.api('POST', `/chatbot/${bot}/data-source/url`, { url: `${shop.base}/hours` })).body.uuid;

  it('are the chatbot’s own, each once, written with dashes or without', async () => {
    const bot = await chatbot();
    const source = await learn(bot);
    const [{ uuid }] = (await docent.api('GET', `/chatbot/${bot}/agents`)).body;
    const dashed = source.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const { body } = await update(uuid, { data_source_uuids: [dashed, source] });
    expect(body.data_source_uuids).toEqual([source]);

    await docent.api('POST', `/data-source/${source}/delete`);
    expect((await fetched(uuid)).data_source_uuids).toEqual([]);
  });

  it('cannot be another chatbot’s, or none at all; then nothing changes', async () => {
    const theirs = await learn(await chatbot());
    const made = await agentOf('user-facing');
    for (const uuid of [theirs, NOWHERE, '', '../../etc', 'x'.repeat(5000), '__proto__']) {
      const { status, body } = await update(made.uuid, { name: 'New', data_source_uuids: [uuid] });
      expect([status, body.field]).toEqual([422, 'data_source_uuids']);
    }
    expect(await fetched(made.uuid)).toEqual(made);
  });
});

describe('null', () => {
  it('in a setting, at the top level or within, means that it is not sent', async () => {
    const settings = { model: null, temperature: null, bias: null, stickness: null, use_all_sources: null };
    expect((await agentOf('user-facing', { ...settings, meta: settings })).meta).toEqual(META['user-facing']);
    const made = await agentOf('user-facing', { temperature: 0.5 });
    const meta = { temperature: null, bias: 0.25 };
    expect((await update(made.uuid, { temperature: null, meta })).body.meta).toEqual({ ...made.meta, bias: 0.25 });
    const tag = { name: 'Refund', color: '#aabbcc' };
    const tagged = await agentOf('background', { tags: [{ ...tag, criteria: null }] });
    expect(tagged.meta.tags).toEqual([{ ...tag, criteria: '' }]);
  });

  it('within variables and escalation settings means that it is not sent', async () => {
    const { uuid } = await agentOf('human-escalation');
    const variable = { description: null, example: null, type: null, default_value: { content: null, static: null } };
    const escalation = { human_requested_message: null, sound_enabled: null, monitored_messages: ['help'] };
    const sent = { variables: [{ name: 'v', ...variable }], human_escalation_settings: escalation };
    const { status, body } = await update(uuid, sent);
    expect(status).toBe(200);
    expect(body.human_escalation_settings).toEqual({ ...ESCALATION, monitored_messages: ['help'] });
    const empty = { description: '', example: '', type: 'string', default_value: { content: '', static: 0 } };
    expect(body.variables).toEqual([{ name: 'v', ...empty }]);
    expect((await update(uuid, { variables: [{ name: 'v', default_value: null }] })).body).toEqual({
      ...body,
      modified_at: expect.any(String),
    });
  });

  it('for a name is refused, for that is required', async () => {
    const { uuid } = await agentOf('human-escalation');
    const { status, body } = await update(uuid, { variables: [{ name: null }] });
    expect([status, body.field]).toEqual([422, 'variables']);
  });
});

describe('bad input', () => {
  const text = 'x'.repeat(10_001);
  const hundredAndOne = (one: object): object[] => Array.from({ length: 101 }, () => one);

  it.each([
    ['name', { type: 'background' }],
    ['name', { name: '', type: 'background' }],
    ['name', { name: '😀'.repeat(201), type: 'background' }],
    ['name', { name: null, type: 'background' }],
    ['type', { name: 'A' }],
    ['type', { name: 'A', type: 'supervisor' }],
    ['type', { name: 'A', type: ['background'] }],
    ['prompt', { name: 'A', type: 'background', prompt: text }],
    ['description', { name: 'A', type: 'background', description: text }],
    ['description', { name: 'A', type: 'background', description: 'a\u0000' }],
    ['meta', { name: 'A', type: 'background', meta: [] }],
    ['meta', { name: 'A', type: 'background', meta: 'model' }],
    ['model', { name: 'A', type: 'background', model: '' }],
    ['model', { name: 'A', type: 'background', model: 'x'.repeat(201) }],
    ['temperature', { name: 'A', type: 'user-facing', temperature: 1.01 }],
    ['temperature', { name: 'A', type: 'user-facing', temperature: '0' }],
    ['meta.temperature', { name: 'A', type: 'user-facing', temperature: 0, meta: { temperature: -0.1 } }],
    ['bias', { name: 'A', type: 'spam-defense', bias: -10.5 }],
    ['bias', { name: 'A', type: 'spam-defense', bias: 1.5 }],
    ['stickness', { name: 'A', type: 'pre-canned', stickness: -1 }],
    ['use_all_sources', { name: 'A', type: 'user-facing', use_all_sources: 1 }],
    ['default_message', { name: 'A', type: 'pre-canned', default_message: text }],
    ['default_message', { name: 'A', type: 'pre-canned', default_message: '\ud800' }],
    ['tags', { name: 'A', type: 'background', tags: 'refund' }],
    ['tags', { name: 'A', type: 'background', tags: [null] }],
    ['tags', { name: 'A', type: 'background', tags: [[]] }],
    ['tags', { name: 'A', type: 'background', tags: { name: 'T', color: 'red', criteria: '' } }],
    ['tags', { name: 'A', type: 'background', tags: { name: 'T', color: '#abc', criteria: '' } }],
    ['tags', { name: 'A', type: 'background', tags: [{ color: '#aabbcc', criteria: '' }] }],
    ['tags', { name: 'A', type: 'background', tags: hundredAndOne({ name: 'T', color: '#aabbcc' }) }],
    ['meta.tags', { name: 'A', type: 'background', meta: { tags: [{ name: '', color: '#aabbcc' }] } }],
  ])('names %s at fault when an agent is created (%#)', async (field, sent) => {
    const bot = await chatbot();
    const { status, body } = await create(bot, sent);
    expect(status).toBe(422);
    expect(body).toEqual({ error: expect.stringContaining(field), code: 'invalid_field', field });
    expect((await docent.api('GET', `/chatbot/${bot}/agents`)).body).toHaveLength(1);
  });

  it.each([
    ['name', { name: '' }],
    ['enabled', { enabled: 2 }],
    ['enabled', { enabled: 'true' }],
    ['bias', { bias: '1' }],
    ['meta', { meta: [] }],
    ['data_source_uuids', { data_source_uuids: NOWHERE }],
    ['data_source_uuids', { data_source_uuids: [1] }],
    ['variables', { variables: {} }],
    ['variables', { variables: [{}] }],
    ['variables', { variables: [{ name: 'v', type: 1 }] }],
    ['variables', { variables: [{ name: 'v', type: 'date' }] }],
    ['variables', { variables: [{ name: 'v', type: 'number', default_value: { content: 'seven' } }] }],
    ['variables', { variables: [{ name: 'v', type: 'boolean', default_value: { content: '1' } }] }],
    ['variables', { variables: [{ name: 'v', default_value: 'x' }] }],
    ['variables', { variables: [{ name: 'v', default_value: { content: 1 } }] }],
    ['variables', { variables: [{ name: 'v', default_value: { static: '0' } }] }],
    ['variables', { variables: hundredAndOne({ name: 'v' }) }],
    ['human_escalation_settings', { human_escalation_settings: [] }],
    ['human_escalation_settings', { human_escalation_settings: { sound_enabled: 2 } }],
    ['human_escalation_settings', { human_escalation_settings: { monitored_messages: 'help' } }],
    ['human_escalation_settings', { human_escalation_settings: { monitored_messages: [1] } }],
    ['human_escalation_settings', { human_escalation_settings: { human_requested_message: text } }],
  ])('names %s at fault in an update, of which nothing is kept (%#)', async (field, sent) => {
    const made = await agentOf('human-escalation', { prompt: 'p' });
    const { status, body } = await update(made.uuid, { stickness: 0.5, ...sent });
    expect(status).toBe(422);
    expect(body).toEqual({ error: expect.stringContaining(field), code: 'invalid_field', field });
    expect(await fetched(made.uuid)).toEqual(made);
  });

  it('is none where a variable that an earlier version took is written back', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-agents-'));
    const first = await start({ DATA_DIR });
    const bot = (await first.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
    const [{ uuid }] = (await first.api('GET', `/chatbot/${bot}/agents`)).body;
    await first.stop();
    const written = { description: '', example: '', default_value: { content: 'seven', static: 0 } };
    const variables = [
      { name: 'day', type: 'date', ...written },
      { name: 'count', type: 'number', ...written },
    ];
    const store = await openStoreOf({ dir: DATA_DIR, clock: Date.now });
    await store.updateAgent(uuid, (agent) => ({ ...agent, variables }));
    await store.close();

    const later = await start({ DATA_DIR });
    const change = (sent: object) => later.api('POST', `/agent/${uuid}/update`, sent);
    const { body: read } = await later.api('GET', `/agent/${uuid}`);
    expect(read.variables).toEqual(variables);
    expect(await change(read)).toMatchObject({ status: 200, body: { variables } });
    const renamed = [{ ...variables[0], name: 'date', default_value: { content: 'today', static: 0 } }, variables[1]];
    expect(await change({ variables: renamed })).toMatchObject({ status: 200, body: { variables: renamed } });
    for (const other of [
      { name: 'day', type: 'time' },
      { name: 'other', type: 'number', default_value: { content: 'seven' } },
      { name: 'count', type: 'number', default_value: { content: 'eight' } },
      { name: 'count', type: 'boolean', default_value: { content: 'seven' } },
    ]) {
      const { status, body } = await change({ variables: [...renamed, other] });
      expect([status, body.error]).toEqual([422, expect.stringMatching(/^variables\[2\]\./)]);
    }
    await later.stop();
    await rm(DATA_DIR, { recursive: true });
  });

  it('may be a number that JSON writes larger than any', async () => {
    const { uuid } = await agentOf('user-facing');
    const { status, body } = await update(uuid, '{"variables":[{"name":"v","default_value":{"static":1e999}}]}');
    expect([status, body.field]).toEqual([422, 'variables']);
  });

  it('may be nested a hundred thousand levels deep', async () => {
    const { uuid } = await agentOf('user-facing');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const key of ['variables', 'meta', 'name']) {
      expect((await update(uuid, `{"${key}":${deep}}`)).status).toBe(422);
    }
    expect((await update(uuid, `{"unheard_of":${deep},"meta":{"tags":${deep}}}`)).status).toBe(200);
  });

  it('reaches no prototype by its keys', async () => {
    const made = await agentOf('background');
    const sent = `{"__proto__":{"name":"P","temperature":9},"constructor":{"prototype":{"name":"P"}},
      "meta":{"__proto__":{"temperature":0.5}},
      "tags":[{"name":"T","color":"#aabbcc","__proto__":{"criteria":"from below"}}],
      "variables":[{"name":"v","__proto__":{"example":"from below"}}]}`;
    const { status, body } = await update(made.uuid, sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'A', meta: { temperature: 0, tags: [{ criteria: '' }] } });
    expect(body.variables[0].example).toBe('');
    expect(Object.keys(body.meta)).toEqual(Object.keys(made.meta));
    expect({}).not.toHaveProperty('name');
  });

  it('is answered by 404 where the agent or the chatbot is not there', async () => {
    expect((await create(NOWHERE, { name: 'A', type: 'background' })).status).toBe(404);
    expect((await update(NOWHERE, { name: 'A' })).status).toBe(404);
    expect((await docent.api('GET', `/agent/${NOWHERE}`)).status).toBe(404);
    expect((await docent.api('DELETE', `/agent/${NOWHERE}/delete`)).status).toBe(404);
  });
});

describe('a deleted agent', () => {
  it('is gone, and the others stay', async () => {
    const bot = await chatbot();
    const { uuid } = (await create(bot, { name: 'A', type: 'background' })).body;
    expect((await docent.api('DELETE', `/agent/${uuid}/delete`)).body).toEqual({ success: true });
    expect((await docent.api('GET', `/agent/${uuid}`)).status).toBe(404);
    expect((await update(uuid, { name: 'B' })).status).toBe(404);
    expect((await docent.api('DELETE', `/agent/${uuid}/delete`)).status).toBe(404);
    expect((await docent.api('GET', `/chatbot/${bot}/agents`)).body).toHaveLength(1);
  });

  it('does not come back by updates that were under way', async () => {
    const { uuid } = await agentOf('background');
    const busy = Array.from({ length: 20 }, (_, i) => update(uuid, { name: `N${i}` }));
    const gone = docent.api('DELETE', `/agent/${uuid}/delete`);
    const replies = await Promise.all([...busy, gone]);
    expect(replies.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect((await docent.api('GET', `/agent/${uuid}`)).status).toBe(404);
  });

  it('goes with its chatbot', async () => {
    const bot = await chatbot();
    const { uuid } = (await create(bot, { name: 'A', type: 'background' })).body;
    await docent.api('DELETE', `/chatbot/${bot}/delete`);
    expect((await docent.api('GET', `/agent/${uuid}`)).status).toBe(404);
  });
});

describe('a chatbot whose answering agent is', () => {
  const answer = async (bot: string, server = docent): Promise<string> => {
    const session = (await server.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
    const query = 'When is the workshop open?';
    return (await server.api('POST', `/session/${session}/message/stream`, { query })).body;
  };

  const taught = async (): Promise<{ bot: string; agent: string }> => {
    const bot = await chatbot();
    await docent.api('POST', `/chatbot/${bot}/data-source/url`, { url: `${shop.base}/hours` });
    await until(
      async () => (await docent.api('GET', `/chatbot/${bot}/data-sources`)).body[0].status,
      (status) => status === 'success',
    );
    return { bot, agent: (await docent.api('GET', `/chatbot/${bot}/agents`)).body[0].uuid };
  };

  it('disabled says that it does not know, until the agent is enabled again', async () => {
    const { bot, agent } = await taught();
    expect(await answer(bot)).toContain('nine to five');
    await update(agent, { enabled: false });
    const unknown = await answer(bot);
    expect(unknown).toContain('I don’t know');
    expect(unknown).not.toContain('nine to five');
    expect(unknown.split('\n').length).toBeGreaterThanOrEqual(2);
    await update(agent, { enabled: true });
    expect(await answer(bot)).toContain('nine to five');
  });

  it('deleted says that it does not know', async () => {
    const { bot, agent } = await taught();
    await docent.api('DELETE', `/agent/${agent}/delete`);
    expect(await answer(bot)).toContain('I don’t know');
  });

  it('deleted asks no model', async () => {
    const model = await startFakeModel();
    const other = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small' });
    const bot = (await other.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
    const [{ uuid }] = (await other.api('GET', `/chatbot/${bot}/agents`)).body;
    await other.api('DELETE', `/agent/${uuid}/delete`);
    expect(await answer(bot, other)).toContain('I don’t know');
    expect(model.requests).toEqual([]);
    await other.stop();
    await model.close();
  });
});
