import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, site, start, until, type Running } from '../../running.ts';

/** A site whose pages can be changed, held back or taken away while a test runs. */
const shown: Record<string, string> = {};
const asked: string[] = [];
let hold: Promise<void> | undefined;

let docent: Running;
let shop: Awaited<ReturnType<typeof site>>;
beforeAll(async () => {
  shop = await site(
    new Proxy(
      {},
      {
        get: (_, path: string) => async (_request: unknown, response: ServerResponse) => {
          asked.push(path);
          await hold;
          const page = shown[path];
          response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
          response.end(page);
        },
      },
    ),
  );
  docent = await start({ FETCH_ALLOW: shop.host });
});
afterAll(async () => {
  await docent.stop();
  await shop.close();
});

const KEYS = ['uuid', 'title', 'type', 'status', 'file_name', 'file_size', 'tokens', 'meta_json', 'created_at'];
const ENDED = /^(success|fail|error:)/;
const INVALID = 'invalid data source';

const chatbot = async (settings: object = {}): Promise<string> =>
  (await docent.api('POST', '/chatbot/create', { name: 'Shop', show_citations: true, ...settings })).body.uuid;

const get = (uuid: string) => docent.api('GET', `/data-source/${uuid}`);
const ended = async (uuid: string) =>
  (
    await until(
      () => get(uuid),
      ({ body }) => ENDED.test(body.status),
    )
  ).body;

async function addUrl(bot: string, path: string, html?: string) {
  if (html !== undefined) shown[path] = html;
  return (await docent.api('POST', `/chatbot/${bot}/data-source/url`, { url: shop.base + path })).body;
}

const learned = async (bot: string, path: string, html: string) => ended((await addUrl(bot, path, html)).uuid);
const addQa = (bot: string, body: object) => docent.api('POST', `/chatbot/${bot}/data-source/qa`, body);

async function ask(bot: string, query: string) {
  const session = (await docent.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
  await docent.api('POST', `/session/${session}/message/stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { response: message.response as string, citations: Object.values<any>(JSON.parse(message.cite_data_json)) }; // oxlint-disable-line no-explicit-any
}

/** Replies of the operation that stands outside /api/v1. */
async function restart(uuids: unknown) {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
  const path = '/api/data-sources/restart';
  const reply = await fetch(docent.base + path, { method: 'POST', headers, body: JSON.stringify({ uuids }) });
  const body = await reply.json();
  return docent.checked('POST', path, { status: reply.status, headers: reply.headers, body });
}

const reScrape = (uuids: unknown) => docent.api('POST', '/data-sources/url/re-scrape', { uuids });
const deleteMany = (uuids: unknown) => docent.api('POST', '/data-sources/delete', { uuids });
const held = () => {
  let release = () => {};
  hold = new Promise((go) => (release = go));
  return () => {
    hold = undefined;
    release();
  };
};

describe('a question with its answer', () => {
  it('is kept as the interface has it, and learned', async () => {
    const bot = await chatbot();
    const qa = {
      question: 'May I bring a dog?',
      answer: 'Dogs are welcome.',
      reference_source_link: 'https://a.test/',
    };
    const { status, body } = await addQa(bot, qa);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([...KEYS, 'modified_at']);
    expect(body).toMatchObject({ title: qa.question, type: 'qa', status: 'await', file_name: '', file_size: 0 });
    expect(JSON.parse(body.meta_json)).toEqual(qa);
    const learned = await ended(body.uuid);
    expect(learned).toMatchObject({ status: 'success', title: qa.question, file_size: 0 });
    expect(learned.tokens).toBeGreaterThan(0);
    expect(JSON.parse(learned.meta_json)).toEqual({ ...qa, passages: 1 });
  });

  it('links to http and https alone; so does a page', async () => {
    const bot = await chatbot();
    const qa = { question: 'May I bring a dog?', answer: 'Dogs are welcome.' };
    for (const [how, rest] of [
      ['qa', qa],
      ['url', { url: 'https://a.test/' }],
    ] as const)
      for (const reference_source_link of ['javascript:alert(1)', 'data:text/html,x', 'a.test', ' https://a.test/ ']) {
        const path = `/chatbot/${bot}/data-source/${how}`;
        const { status, body } = await docent.api('POST', path, { ...rest, reference_source_link });
        expect([status, body.field], reference_source_link).toEqual([422, 'reference_source_link']);
      }
    expect((await addQa(bot, { ...qa, reference_source_link: '' })).status).toBe(200);
    expect((await addQa(bot, { ...qa, reference_source_link: 'HTTP://a.test/' })).status).toBe(200);
  });

  it('is quoted whole, before pages that speak of the same', async () => {
    const bot = await chatbot();
    await learned(bot, '/dogs', '<h1>Dogs</h1><p>Dogs bark in the park. Bring a dog to the park on Sunday.</p>');
    const answer = 'Yes, if it is small.\n\n- Keep it on a lead.\n- The café has water for it. Ask at the counter.';
    const { uuid } = (await addQa(bot, { question: 'May I bring my dog to the museum?', answer })).body;
    await ended(uuid);
    const said = await ask(bot, 'can I bring a dog to the museum?');
    expect(said.response.startsWith(`${answer} [1]`)).toBe(true);
    expect(said.citations[0]).toEqual({
      data_source_uuid: uuid,
      title: 'May I bring my dog to the museum?',
      text: answer,
      file_name: '',
      type: 'qa',
    });
  });

  it('may be there twice, and carries no link that was not given', async () => {
    const bot = await chatbot();
    const qa = { question: 'Open?', answer: 'From nine.' };
    const [first, second] = [await addQa(bot, qa), await addQa(bot, qa)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.uuid).not.toBe(second.body.uuid);
    expect(JSON.parse(first.body.meta_json)).toEqual(qa);
  });

  it.each([
    ['question', { answer: 'a' }],
    ['question', { question: '', answer: 'a' }],
    ['question', { question: 'q'.repeat(1001), answer: 'a' }],
    ['answer', { question: 'q' }],
    ['answer', { question: 'q', answer: ['a'] }],
    ['answer', { question: 'q', answer: 'a\u0000' }],
  ])('without a good %s is refused', async (field, body) => {
    const bot = await chatbot();
    const reply = await addQa(bot, body);
    expect([reply.status, reply.body.field]).toEqual([422, field]);
    expect((await docent.api('GET', `/chatbot/${bot}/data-sources`)).body).toEqual([]);
  });

  it('with nothing to read in its answer says so', async () => {
    const { uuid } = (await addQa(await chatbot(), { question: 'q', answer: '…' })).body;
    expect((await ended(uuid)).status).toBe('error:no text');
  });
});

describe('a title that the owner gives', () => {
  it('is shown by the next citation, and found by', async () => {
    const bot = await chatbot();
    const { uuid, modified_at } = await learned(bot, '/t', '<title>Old</title><p>We open at nine every day.</p>');
    expect((await ask(bot, 'When do you open?')).citations[0].title).toBe('Old');
    const { status, body } = await docent.api('POST', `/data-source/${uuid}/update`, { title: 'Opening hours' });
    expect([status, body.title, body.modified_at > modified_at]).toEqual([200, 'Opening hours', true]);
    expect((await get(uuid)).body).toEqual(body);
    expect((await ask(bot, 'opening hours')).citations[0]).toMatchObject({ title: 'Opening hours' });
  });

  it('stays when it is given while the page is fetched', async () => {
    const bot = await chatbot();
    const release = held();
    const { uuid } = await addUrl(bot, '/slow-title', '<title>Of the page</title><p>Some words to be read here.</p>');
    await until(
      async () => asked,
      (all) => all.includes('/slow-title'),
    );
    await docent.api('POST', `/data-source/${uuid}/update`, { title: 'Of the owner' });
    release();
    expect(await ended(uuid)).toMatchObject({ status: 'success', title: 'Of the owner' });
    expect((await ask(bot, 'What is to be read here?')).citations[0].title).toBe('Of the owner');
    expect((await reScrape([uuid])).body).toEqual([{ uuid, status: 'restarted scraping' }]);
    expect((await ended(uuid)).title).toBe('Of the owner');
  });

  it.each([[{}], [{ title: '' }], [{ title: 1 }], [{ title: 'x'.repeat(1001) }], [{ title: '\ud800' }]])(
    'is refused for a page where it is %j',
    async (body) => {
      const bot = await chatbot();
      const { uuid } = await learned(bot, '/untitled', '<p>Some words to be read here.</p>');
      const before = (await get(uuid)).body;
      const reply = await docent.api('POST', `/data-source/${uuid}/update`, body);
      expect([reply.status, reply.body.field]).toEqual([422, 'title']);
      expect((await get(uuid)).body).toEqual(before);
    },
  );
});

describe('deleting many sources', () => {
  it('deletes them all, and what they taught', async () => {
    const bot = await chatbot();
    const page = await learned(bot, '/d1', '<p>The lighthouse is open on Monday.</p>');
    const qa = (await addQa(bot, { question: 'Is the lighthouse open?', answer: 'On Monday.' })).body;
    const kept = (await addQa(bot, { question: 'Is there a café?', answer: 'There is.' })).body;
    await Promise.all([ended(qa.uuid), ended(kept.uuid)]);
    await ask(bot, 'lighthouse');
    expect((await deleteMany([page.uuid, qa.uuid, page.uuid])).body).toEqual({ success: true });
    const left = (await docent.api('GET', `/chatbot/${bot}/data-sources`)).body;
    expect(left.map(({ uuid }: { uuid: string }) => uuid)).toEqual([kept.uuid]);
    expect((await ask(bot, 'When is the lighthouse open?')).response).not.toContain('Monday');
    expect((await deleteMany([])).body).toEqual({ success: true });
  });

  it('deletes nothing where one is not there, and names those', async () => {
    const { uuid } = (await addQa(await chatbot(), { question: 'q', answer: 'an answer' })).body;
    const reply = await deleteMany([uuid, '0'.repeat(32), 'no uuid']);
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual([
      { uuid: '0'.repeat(32), error: INVALID },
      { uuid: 'no uuid', error: INVALID },
    ]);
    expect((await get(uuid)).status).toBe(200);
  });

  it.each([[undefined], ['x'], [null], [[1]], [{}]])('wants a list of strings, unlike %j', async (uuids) => {
    for (const reply of [await deleteMany(uuids), await reScrape(uuids), await restart(uuids)]) {
      expect([reply.status, reply.body.field]).toEqual([422, 'uuids']);
    }
  });
});

describe('re-scraping', () => {
  it('fetches pages again, and says of each in order what became of it', async () => {
    const bot = await chatbot();
    const page = await learned(bot, '/news', '<p>The ferry leaves the harbour at nine.</p>');
    const qa = (await addQa(bot, { question: 'q', answer: 'an answer' })).body;
    await ask(bot, 'When does the ferry leave?');
    shown['/news'] = '<p>The ferry leaves the harbour at noon.</p>';
    const dashed = page.uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const { status, body } = await reScrape([qa.uuid, page.uuid, 'nonsense', dashed, '0'.repeat(32)]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { uuid: qa.uuid, error: INVALID },
      { uuid: page.uuid, status: 'restarted scraping' },
      { uuid: 'nonsense', error: INVALID },
      { uuid: page.uuid, status: 'restarted scraping' },
      { uuid: '0'.repeat(32), error: INVALID },
    ]);
    expect((await ended(page.uuid)).modified_at > page.modified_at).toBe(true);
    expect((await ask(bot, 'When does the ferry leave?')).response).toContain('noon');
  });

  it('says `await` at once, so that nobody takes the old state for the new', async () => {
    const bot = await chatbot();
    const { uuid } = await learned(bot, '/at-once', '<p>Some words to be read here.</p>');
    const release = held();
    await reScrape([uuid]);
    expect((await get(uuid)).body.status).toBe('await');
    release();
    expect((await ended(uuid)).status).toBe('success');
  });

  it('begins anew where learning is under way, and ends with the newest', async () => {
    const bot = await chatbot();
    const before = asked.length;
    const release = held();
    const { uuid } = await addUrl(bot, '/twice', '<p>The first words of the harbour.</p>');
    await until(
      async () => asked.length,
      (count) => count > before,
    );
    const replies = await Promise.all([reScrape([uuid]), reScrape([uuid]), reScrape([uuid])]);
    expect(replies.map(({ body }) => body)).toEqual(replies.map(() => [{ uuid, status: 'restarted scraping' }]));
    shown['/twice'] = '<p>The newest words of the harbour.</p>';
    release();
    expect((await ended(uuid)).status).toBe('success');
    expect((await ask(bot, 'harbour')).response).toContain('newest words');
  });
});

describe('restarting', () => {
  it('runs again what failed, and nothing else', async () => {
    const bot = await chatbot();
    delete shown['/later'];
    const failed = await ended((await addUrl(bot, '/later')).uuid);
    const empty = await ended((await addQa(bot, { question: 'q', answer: '!' })).body.uuid);
    const fine = await learned(bot, '/fine', '<p>Some words to be read here.</p>');
    expect([failed.status, empty.status]).toEqual(['error:not found', 'error:no text']);
    shown['/later'] = '<p>The page is there at last.</p>';
    const { status, body } = await restart([fine.uuid, failed.uuid, empty.uuid, 'x', failed.uuid]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { uuid: fine.uuid, error: INVALID },
      { uuid: failed.uuid, status: 'restarted scraping' },
      { uuid: empty.uuid, status: 'restarted scraping' },
      { uuid: 'x', error: INVALID },
      { uuid: failed.uuid, status: 'restarted scraping' },
    ]);
    expect((await ended(failed.uuid)).status).toBe('success');
    expect((await ended(empty.uuid)).status).toBe('error:no text');
  });

  it('stands outside /api/v1', async () => {
    expect((await docent.api('POST', '/data-sources/restart', { uuids: [] })).status).toBe(404);
  });
});

describe('what is deleted while it is learned', () => {
  it('leaves no orphan: a source', async () => {
    const bot = await chatbot();
    const before = asked.length;
    const release = held();
    const { uuid } = await addUrl(bot, '/gone', '<p>Words of a page that is gone.</p>');
    await until(
      async () => asked.length,
      (count) => count > before,
    );
    expect((await deleteMany([uuid])).body).toEqual({ success: true });
    release();
    await learned(bot, '/stays', '<p>Words of a page that stays.</p>');
    expect((await get(uuid)).status).toBe(404);
    expect((await ask(bot, 'Which page?')).response).not.toContain('gone');
    expect((await addUrl(bot, '/gone')).status).toBe('await');
  });

  it('leaves no orphan: a chatbot with many sources, whose pages are then asked for no more', async () => {
    const bot = await chatbot();
    const release = held();
    const many = Array.from({ length: 12 }, (_, n) =>
      addUrl(bot, `/many-${n}`, `<p>Words of page ${n}, to be read.</p>`),
    );
    const sources = await Promise.all(many);
    expect((await docent.api('DELETE', `/chatbot/${bot}/delete`)).body).toEqual({ success: true });
    // The pages under way are still held back: only where they are given up is there a place for another.
    hold = undefined;
    const before = asked.length;
    await learned(await chatbot(), '/other', '<p>Some words to be read here.</p>');
    expect(asked.slice(before)).toEqual(['/other']);
    release();
    for (const { uuid } of sources) expect((await get(uuid)).status).toBe(404);
    const all = sources.map(({ uuid }) => uuid);
    expect((await reScrape(all)).body).toEqual(all.map((uuid) => ({ uuid, error: INVALID })));
  });
});
