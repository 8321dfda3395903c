import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

const KEYS = ['uuid', 'name', 'color', 'data_source_uuids', 'created_at', 'modified_at'];

const chatbot = async (): Promise<string> => (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
const source = async (bot: string): Promise<string> =>
  (await docent.api('POST', `/chatbot/${bot}/data-source/qa`, { question: 'Open?', answer: 'From nine.' })).body.uuid;
const create = (bot: string, body: object, path = 'source-tag') =>
  docent.api('POST', `/chatbot/${bot}/${path}/create`, body);
const update = (uuid: string, body: object) => docent.api('POST', `/source-tag/${uuid}/update`, body);
const list = async (bot: string) => (await docent.api('GET', `/chatbot/${bot}/source-tags`)).body;

describe('a source tag', () => {
  it.each(['source-tag', 'source-tags'])('is created by the path with %s', async (path) => {
    const bot = await chatbot();
    const { status, body } = await create(bot, { name: 'News', color: '#aB12Ef' }, path);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(KEYS);
    expect(body).toMatchObject({ name: 'News', color: '#aB12Ef', data_source_uuids: [], modified_at: body.created_at });
    expect(await list(bot)).toEqual([body]);
  });

  it('groups sources, each once, in the order given', async () => {
    const bot = await chatbot();
    const [a, b] = [await source(bot), await source(bot)];
    const dashed = a.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const { body } = await create(bot, { name: 'Both', color: '#000000', data_source_uuids: [b, dashed, b, a] });
    expect(body.data_source_uuids).toEqual([b, a]);
    expect((await update(body.uuid, { data_source_uuids: [a] })).body.data_source_uuids).toEqual([a]);
    expect((await update(body.uuid, { data_source_uuids: [] })).body.data_source_uuids).toEqual([]);
  });

  it('takes sources in and out, whatever else it has', async () => {
    const bot = await chatbot();
    const [a, b, c] = [await source(bot), await source(bot), await source(bot)];
    const { uuid } = (await create(bot, { name: 'Some', color: '#000000', data_source_uuids: [a] })).body;
    const of = async (body: object): Promise<string[]> => (await update(uuid, body)).body.data_source_uuids;
    expect(await of({ add_data_source_uuids: [b, a, c] })).toEqual([a, b, c]);
    expect(await of({ remove_data_source_uuids: [b, 'no uuid', '0'.repeat(32)] })).toEqual([a, c]);
    expect(await of({ data_source_uuids: [b], add_data_source_uuids: [a], remove_data_source_uuids: [b] })).toEqual([
      a,
    ]);
    const foreign = await source(await chatbot());
    const refused = await update(uuid, { name: 'Changed', add_data_source_uuids: [b, foreign] });
    expect([refused.status, refused.body.field]).toEqual([422, 'add_data_source_uuids']);
    expect((await list(bot))[0]).toMatchObject({ name: 'Some', data_source_uuids: [a] });
  });

  it('loses none of the sources that are added at once', async () => {
    const bot = await chatbot();
    const all = await Promise.all(Array.from({ length: 20 }, () => source(bot)));
    const { uuid } = (await create(bot, { name: 'All', color: '#000000' })).body;
    await Promise.all(all.map((one) => update(uuid, { add_data_source_uuids: [one] })));
    expect((await list(bot))[0].data_source_uuids.toSorted()).toEqual(all.toSorted());
  });

  it('narrows the list of sources', async () => {
    const bot = await chatbot();
    const [a, b] = [await source(bot), await source(bot)];
    const { uuid } = (await create(bot, { name: 'One', color: '#000000', data_source_uuids: [b] })).body;
    const listed = async (query: string): Promise<string[]> =>
      (await docent.api('GET', `/chatbot/${bot}/data-sources?${query}`)).body.map((one: { uuid: string }) => one.uuid);
    expect(await listed(`tag=${uuid}`)).toEqual([b]);
    expect(await listed(`tag=${uuid}&search=nothing`)).toEqual([]);
    await update(uuid, { data_source_uuids: [a, b] });
    expect(await listed(`tag=${uuid}&limit=1`)).toEqual([a]);
    expect(await listed(`tag=${uuid}&limit=1&after=${a}`)).toEqual([b]);
    const foreign = (await create(await chatbot(), { name: 'Other', color: '#000000' })).body.uuid;
    const reply = await docent.api('GET', `/chatbot/${bot}/data-sources?tag=${foreign}`);
    expect([reply.status, reply.body.field]).toEqual([422, 'tag']);
  });

  it('keeps what an update does not send', async () => {
    const bot = await chatbot();
    const own = await source(bot);
    const made = (await create(bot, { name: 'News', color: '#112233', data_source_uuids: [own] })).body;
    const renamed = (await update(made.uuid, { name: 'Old news' })).body;
    expect(renamed).toEqual({ ...made, name: 'Old news', modified_at: renamed.modified_at });
    expect(renamed.modified_at > made.modified_at).toBe(true);
    const coloured = (await update(made.uuid, { color: '#ffffff' })).body;
    expect(coloured).toMatchObject({ name: 'Old news', color: '#ffffff', data_source_uuids: [own] });
    expect(coloured.modified_at > renamed.modified_at).toBe(true);
  });

  it('loses its sources with them, and its chatbot takes it along', async () => {
    const bot = await chatbot();
    const all = [await source(bot), await source(bot), await source(bot)];
    const { uuid } = (await create(bot, { name: 'All', color: '#123456', data_source_uuids: all })).body;
    await docent.api('POST', `/data-source/${all[0]}/delete`);
    expect((await list(bot))[0].data_source_uuids).toEqual(all.slice(1));
    await docent.api('POST', '/data-sources/delete', { uuids: all.slice(1) });
    expect((await list(bot))[0].data_source_uuids).toEqual([]);
    await docent.api('DELETE', `/chatbot/${bot}/delete`);
    expect((await update(uuid, { name: 'x' })).status).toBe(404);
  });

  it('is deleted by DELETE, and its sources stay', async () => {
    const bot = await chatbot();
    const own = await source(bot);
    const first = (await create(bot, { name: 'A', color: '#123456', data_source_uuids: [own] })).body;
    const second = (await create(bot, { name: 'B', color: '#123456' })).body;
    expect((await docent.api('DELETE', `/source-tag/${first.uuid}/delete`)).body).toEqual({ success: true });
    expect(await list(bot)).toEqual([second]);
    expect((await docent.api('GET', `/data-source/${own}`)).status).toBe(200);
    expect((await docent.api('DELETE', `/source-tag/${first.uuid}/delete`)).status).toBe(404);
  });

  it('loses none of two hundred updates at once', async () => {
    const bot = await chatbot();
    const own = await source(bot);
    const { uuid } = (await create(bot, { name: 'N', color: '#000000' })).body;
    const fields = [{ name: 'Name' }, { color: '#abcdef' }, { data_source_uuids: [own] }];
    await Promise.all(Array.from({ length: 200 }, (_, i) => update(uuid, fields[i % 3]!)));
    expect((await list(bot))[0]).toMatchObject({ name: 'Name', color: '#abcdef', data_source_uuids: [own] });
  });

  it('never names a source that was deleted while the tag was changed', async () => {
    const bot = await chatbot();
    const { uuid } = (await create(bot, { name: 'N', color: '#000000' })).body;
    for (let round = 0; round < 10; round++) {
      const own = await source(bot);
      await Promise.all([
        update(uuid, { data_source_uuids: [own] }),
        docent.api('POST', `/data-source/${own}/delete`),
        update(uuid, { name: `Round ${round}` }),
      ]);
      expect((await list(bot))[0]).toMatchObject({ data_source_uuids: [] });
    }
  });
});

describe('a source tag that is wrong', () => {
  it.each([
    ['name', { color: '#000000' }],
    ['name', { name: '', color: '#000000' }],
    ['name', { name: 'x'.repeat(201), color: '#000000' }],
    ['color', { name: 'n' }],
    ['color', { name: 'n', color: 'red' }],
    ['color', { name: 'n', color: '#fff' }],
    ['color', { name: 'n', color: '#0000000' }],
    ['color', { name: 'n', color: ' #000000' }],
    ['color', { name: 'n', color: '#000000\n' }],
    ['color', { name: 'n', color: '#00000g' }],
    ['data_source_uuids', { name: 'n', color: '#000000', data_source_uuids: 'x' }],
    ['data_source_uuids', { name: 'n', color: '#000000', data_source_uuids: ['x'] }],
    ['data_source_uuids', { name: 'n', color: '#000000', data_source_uuids: ['0'.repeat(32)] }],
  ])('in its %s is refused, at creation and after: %j', async (field, body) => {
    const bot = await chatbot();
    const created = await create(bot, body);
    expect([created.status, created.body.field]).toEqual([422, field]);
    expect(await list(bot)).toEqual([]);
    if (!(field in body)) return;
    const made = (await create(bot, { name: 'Fine', color: '#000000' })).body;
    const changed = await update(made.uuid, { ...body, ...(field === 'name' ? {} : { name: 'Changed' }) });
    expect([changed.status, changed.body.field]).toEqual([422, field]);
    expect(await list(bot)).toEqual([made]);
  });

  it('in naming a source of another chatbot is refused', async () => {
    const [bot, other] = [await chatbot(), await chatbot()];
    const foreign = await source(other);
    const reply = await create(bot, { name: 'n', color: '#000000', data_source_uuids: [await source(bot), foreign] });
    expect([reply.status, reply.body.field]).toEqual([422, 'data_source_uuids']);
    expect(await list(bot)).toEqual([]);
  });
});
