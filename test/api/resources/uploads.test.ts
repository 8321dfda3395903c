import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryRows } from '../../engine/engine.ts';
import { readUpload } from '../../../server/api/requests/uploads/multipart.ts';
import { createUploadCapacity } from '../../../server/api/requests/uploads/upload-capacity.ts';
import { docx, paragraph, pdf, xlsx } from '../../knowledge/office-files.ts';
import { API_KEY, start, until, type Reply, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

const MB = 1024 * 1024;
const SKY = 'The sky over Zembla is green.';
const ENDED = /^(success|fail|error:)/;

const chatbot = async (settings: object = { show_citations: true }): Promise<string> =>
  (await docent.api('POST', '/chatbot/create', { name: 'Shop', ...settings })).body.uuid;
const list = async (bot: string) => (await docent.api('GET', `/chatbot/${bot}/data-sources`)).body;
const ended = async (uuid: string) =>
  (
    await until(
      () => docent.api('GET', `/data-source/${uuid}`),
      ({ body }) => ENDED.test(body.status),
    )
  ).body;

/** Sends a body as it is, and reads the reply whenever it comes. */
function send(bot: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Reply> {
  const path = `/api/v1/chatbot/${bot}/data-source/upload`;
  const all = { Authorization: `Bearer ${API_KEY}`, ...headers };
  return fetch(docent.base + path, { method: 'POST', headers: all, body }).then(async (reply) =>
    docent.checked('POST', path, { status: reply.status, headers: reply.headers, body: await reply.json() }),
  );
}

function upload(
  bot: string,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
) {
  const { type = '', ...texts } = more;
  const form = new FormData();
  for (const [key, value] of Object.entries(texts)) form.append(key, value);
  form.append('file', new Blob([content], { type }), name);
  return send(bot, form);
}

const BOUNDARY = 'the-boundary';
const raw = (bot: string, parts: string, end = `--${BOUNDARY}--\r\n`) =>
  send(bot, parts.replaceAll('\n', '\r\n') + end, { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` });
const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\nContent-Disposition: form-data; ${disposition}\n\n${content}\n`;

async function ask(bot: string, query: string) {
  const session = (await docent.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
  const { body } = await docent.api('POST', `/session/${session}/message/stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { response: body as string, citations: JSON.parse(message.cite_data_json) };
}

describe('a file', () => {
  it('is stored, read, and kept as the interface has it', async () => {
    const bot = await chatbot();
    const link = 'https://lamps.example/back';
    const { status, body } = await upload(bot, 'returns.md', '# Returns\n\nSend a **lamp** back within 60 days.', {
      reference_source_link: link,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      title: 'returns.md',
      type: 'upload',
      status: 'await',
      file_name: 'returns.md',
      file_size: 47,
      tokens: 0,
      meta_json: JSON.stringify({ reference_source_link: link }),
      created_at: expect.any(String),
      modified_at: body.created_at,
    });
    expect(await ended(body.uuid)).toMatchObject({ status: 'success', title: 'Returns', file_name: 'returns.md' });
    const { response, citations } = await ask(bot, 'How long do I have to send a lamp back?');
    expect(response).toBe('Send a lamp back within 60 days. [1]');
    expect(citations['1']).toEqual({
      data_source_uuid: body.uuid,
      title: 'Returns',
      text: 'Send a lamp back within 60 days.',
      file_name: 'returns.md',
      type: 'upload',
    });
  });

  it.each([
    ['hours.txt', 'We open at nine on weekdays.'],
    ['hours.md', 'We **open** at *nine* on weekdays.'],
    ['hours.markdown', '> We open at nine on weekdays.'],
    ['hours.html', '<!doctype html><nav>Menu</nav><main><p>We open at nine on weekdays.</p></main>'],
    ['HOURS.HTM', '<p>We open at nine <b>on weekdays</b>.</p>'],
    ['hours.pdf', pdf([['We open at nine', 'on weekdays.']])],
    ['hours.docx', docx(paragraph('Hours', 'Heading1') + paragraph('We open at nine on weekdays.'))],
  ])('is read as its ending says: %s', async (name, content) => {
    const bot = await chatbot({});
    await ended((await upload(bot, name, content, { type: 'application/octet-stream' })).body.uuid);
    expect((await ask(bot, 'When do you open?')).response).toBe('We open at nine on weekdays.');
  });

  it.each([
    ['prices.csv', 'Lamp,Price\nHarbour,90 crowns\nSky,80 crowns'],
    [
      'prices.xlsx',
      xlsx({
        Lamps: [
          ['Lamp', 'Price'],
          ['Harbour', '90 crowns'],
          ['Sky', '80 crowns'],
        ],
      }),
    ],
  ])('of rows is quoted row by row: %s', async (name, content) => {
    const bot = await chatbot();
    const { uuid } = (await upload(bot, name, content)).body;
    expect(await ended(uuid)).toMatchObject({ status: 'success', title: name });
    const { response, citations } = await ask(bot, 'What is the price of the Sky lamp?');
    expect(response).toContain('Lamp: Sky; Price: 80 crowns');
    expect(citations['1'].text).toBe('Lamp: Sky; Price: 80 crowns');
  });

  it('without an ending is read as its media type allows', async () => {
    const bot = await chatbot();
    const { status, body } = await upload(bot, 'README', SKY, { type: 'text/plain' });
    expect([status, (await ended(body.uuid)).status]).toEqual([200, 'success']);
    const manual = await upload(bot, 'manual', pdf([['The ferry is blue.']]), { type: 'application/pdf' });
    expect([manual.status, (await ended(manual.body.uuid)).status]).toEqual([200, 'success']);
    expect((await upload(bot, 'program', 'x', { type: 'application/octet-stream' })).status).toBe(400);
  });

  it.each([
    ['C:\\path\\to\\notes.txt', 'notes.txt'],
    ['../../etc/passwd.md', 'passwd.md'],
    ['/home/ada/Notes and more.txt', 'Notes and more.txt'],
    ['Öffnungszeiten – 時間 😀.txt', 'Öffnungszeiten – 時間 😀.txt'],
    ['a..b.txt', 'a..b.txt'],
    ['.txt', '.txt'],
  ])('is called without its folders: %s', async (sent, name) => {
    const { status, body } = await upload(await chatbot(), sent, SKY);
    expect([status, body.file_name, body.title]).toEqual([200, name, name]);
    expect(await ended(body.uuid)).toMatchObject({ file_name: name, title: name });
  });

  it('may write its name as RFC 5987 has it', async () => {
    const reply = await raw(await chatbot(), part('name="file"; filename*=UTF-8\'\'%C3%96ffnung.txt', SKY));
    expect([reply.status, reply.body.file_name]).toEqual([200, 'Öffnung.txt']);
  });

  it('in other charsets is read as it was meant', async () => {
    const bot = await chatbot({});
    const latin = await upload(bot, 'a.txt', Uint8Array.from(Buffer.from('Das Café öffnet um neun Uhr.', 'latin1')));
    await ended(latin.body.uuid);
    expect((await ask(bot, 'Café öffnet')).response).toBe('Das Café öffnet um neun Uhr.');
  });

  it.each([
    ['empty.txt', '', 'error:no text'],
    ['blank.md', '---\n\n  \n', 'error:no text'],
    ['empty.html', '<nav>Menu</nav>', 'error:no text'],
    ['scanned.pdf', pdf([[]]), 'error:no text'],
    ['picture.pdf', '\x89PNG\r\n\x1a\n', 'error:content type'],
    ['picture.txt', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'error:content type'],
  ])('with nothing to read is stored and says so: %s', async (name, content, status) => {
    const bot = await chatbot();
    const reply = await upload(bot, name, content);
    expect([reply.status, reply.body.file_size]).toEqual([200, Buffer.byteLength(content)]);
    expect((await ended(reply.body.uuid)).status).toBe(status);
  });

  it('is refused a second time with the record that is there, whatever it is called', async () => {
    const bot = await chatbot();
    const first = await upload(bot, 'a.txt', SKY);
    const second = await upload(bot, 'b.md', SKY);
    expect([second.status, second.body.uuid, second.body.file_name]).toEqual([409, first.body.uuid, 'a.txt']);
    expect(await list(bot)).toHaveLength(1);
    expect((await upload(await chatbot(), 'a.txt', SKY)).status).toBe(200);
    await docent.api('POST', `/data-source/${first.body.uuid}/delete`);
    expect((await upload(bot, 'b.md', SKY)).status).toBe(200);
  });

  it('sent ten times at once is there once', async () => {
    const bot = await chatbot();
    const replies = await Promise.all(Array.from({ length: 10 }, () => upload(bot, 'a.txt', SKY)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(new Set(replies.map(({ body }) => body.uuid)).size).toBe(1);
  });

  it('is gone from the store once deleted, with its chatbot too', async () => {
    const files = async () =>
      (await queryRows(docent.dataDir, 'select source from files order by source')) ??
      (await readdir(docent.dataDir, { recursive: true })).filter((name) => name.endsWith('.file'));
    const before = await files();
    const bot = await chatbot();
    const { uuid } = (await upload(bot, 'a.txt', SKY)).body;
    await upload(bot, 'b.txt', `${SKY} So it is.`);
    expect(await files()).toHaveLength(before.length + 2);
    await docent.api('POST', `/data-source/${uuid}/delete`);
    expect(await files()).toHaveLength(before.length + 1);
    await docent.api('DELETE', `/chatbot/${bot}/delete`);
    expect(await files()).toEqual(before);
  });

  it('is no page to fetch again, but can be read again once that failed', async () => {
    const bot = await chatbot();
    const { uuid } = (await upload(bot, 'a.txt', '')).body;
    await ended(uuid);
    const body = { uuids: [uuid] };
    const invalid = [{ uuid, error: 'invalid data source' }];
    expect((await docent.api('POST', '/data-sources/url/re-scrape', body)).body).toEqual(invalid);
    const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
    const url = `${docent.base}/api/data-sources/restart`;
    const restarted = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await restarted.json()).toEqual([{ uuid, status: 'restarted scraping' }]);
    expect((await ended(uuid)).status).toBe('error:no text');
  });
});

describe('an upload that is wrong', () => {
  it.each(['a.doc', 'a.exe', 'a.xls', 'a.png', 'a.txt.zip', 'a.html.', 'a.TXT '])('as a type: %s', async (name) => {
    const bot = await chatbot();
    const reply = await upload(bot, name, 'x', { type: 'text/plain' });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: expect.stringContaining('file type not allowed'), code: 'bad_request' });
    expect(await list(bot)).toEqual([]);
  });

  it('as an old workbook says what to save it as', async () => {
    const reply = await upload(await chatbot(), 'prices.xls', 'x', { type: 'application/vnd.ms-excel' });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: 'file type not allowed: save the workbook as .xlsx and send that' });
  });

  it('without its file, or a name of it, names the field', async () => {
    const bot = await chatbot();
    const form = new FormData();
    form.append('reference_source_link', 'https://a.test/');
    form.append('document', new Blob([SKY]), 'a.txt');
    const replies = [
      await send(bot, form),
      await raw(bot, part('name="file"', SKY)),
      await raw(bot, part('name="file"; filename=".."', SKY)),
      await upload(bot, `${'x'.repeat(300)}.txt`, SKY),
      await raw(bot, part('name="file"; filename*=UTF-8\'\'a%00b.txt', SKY)),
      await raw(bot, part('name="file"; filename="a.txt"', SKY) + part('name="file"; filename="b.txt"', 'More')),
      await raw(bot, ''),
    ];
    expect(replies.map(({ status, body }) => [status, body.code, body.field])).toEqual(
      replies.map(() => [422, 'invalid_field', 'file']),
    );
    expect(await list(bot)).toEqual([]);
  });

  it('in its link names that', async () => {
    const bot = await chatbot();
    for (const reference_source_link of ['x'.repeat(2049), 'x'.repeat(70_000), 'a\0b', 'javascript:alert(1)']) {
      const reply = await upload(bot, 'a.txt', SKY, { reference_source_link });
      expect([reply.status, reply.body.field]).toEqual([422, 'reference_source_link']);
    }
    expect(await list(bot)).toEqual([]);
  });

  it('as a whole: another media type, or a body that is cut or no multipart at all', async () => {
    const bot = await chatbot();
    const file = part('name="file"; filename="a.txt"', SKY);
    const type = { 'Content-Type': 'multipart/form-data' };
    const replies = [
      await send(bot, '{}', { 'Content-Type': 'application/json' }),
      await send(bot, SKY, { 'Content-Type': 'text/plain' }),
      await send(bot, file, type),
      await send(bot, file, { 'Content-Type': `${type['Content-Type']}; boundary=` }),
      await raw(bot, file, ''),
      await raw(bot, `--${BOUNDARY}\nnonsense\n\n`, ''),
      await raw(bot, 'nothing of the kind', ''),
      await raw(bot, '', ''),
    ];
    expect(replies.map(({ status }) => status)).toEqual([415, 415, 400, 400, 400, 400, 400, 400]);
    expect(await list(bot)).toEqual([]);
  });

  it('in size is refused while it is read', async () => {
    const bot = await chatbot();
    const reply = await upload(bot, 'a.txt', new Uint8Array(50 * MB + 1));
    expect([reply.status, reply.body.code]).toEqual([413, 'too_large']);
    expect(await endlessly(bot)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await list(bot)).toEqual([]);
  }, 60_000);

  it('to a chatbot that is not there is 404', async () => {
    expect((await upload('0'.repeat(32), 'a.txt', SKY)).status).toBe(404);
  });
});

/** Never says how long it is, never ends, and reads the reply while it writes. */
function endlessly(bot: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${API_KEY}`,
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${docent.base}/api/v1/chatbot/${bot}/data-source/upload`, { method: 'POST', headers });
    const piece = Buffer.alloc(MB, 'words and ');
    let over = false;
    const write = (): void => {
      if (!over && sent.write(piece)) setImmediate(write);
    };
    sent.on('drain', write);
    sent.on('response', ({ httpVersion, statusCode }) => {
      over = true;
      sent.destroy();
      resolve(`HTTP/${httpVersion} ${statusCode} `);
    });
    sent.on('error', (error) => (over ? undefined : reject(error)));
    sent.write(part('name="file"; filename="a.txt"', '').trimEnd().replaceAll('\n', '\r\n') + '\r\n\r\n');
    write();
  });
}

describe('a large file', () => {
  it('of 50 MB is stored whole, and nobody waits long meanwhile', async () => {
    const bot = await chatbot();
    const line = 'A sentence about the ferry and its boats.\n\n';
    const bytes = Buffer.alloc(50 * MB, line);
    const { status, body } = await upload(bot, 'large.txt', Uint8Array.from(bytes));
    expect([status, body.file_size]).toEqual([200, 50 * MB]);
    await docent.api('POST', `/data-source/${body.uuid}/delete`);
  }, 60_000);

  it('whose sender goes away leaves nothing, and no place taken', async () => {
    const bot = await chatbot();
    const head =
      `POST /api/v1/chatbot/${bot}/data-source/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${50 * MB}\r\n\r\n` +
      part('name="file"; filename="a.txt"', 'The beginning').replaceAll('\n', '\r\n');
    const { port } = new URL(docent.base);
    for (let n = 0; n < 6; n++) {
      await new Promise<void>((gone) => {
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.write(head, () => setTimeout(() => socket.destroy(), 20)),
        );
        socket.on('close', () => gone());
      });
    }
    expect((await upload(bot, 'b.txt', new Uint8Array(MB).fill(97))).status).toBe(200);
    expect(await list(bot)).toHaveLength(1);
  });

  it('whose sender has left while it waited is not waited for', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const gone = Object.assign(new PassThrough(), { headers }).destroy();
    await expect(readUpload(gone as never)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('waits until there is room for it, and is told where there is none for long', async () => {
    const capacity = createUploadCapacity({ bytes: 100, timeoutMs: 60 });
    const of = (length: number | undefined) => ({
      headers: length === undefined ? {} : { 'content-length': `${length}` },
    });
    const reserve = (length: number | undefined) => capacity.reserve(of(length) as never);
    const leave = await reserve(80);
    const small = await reserve(20);
    const order: string[] = [];
    const waiting = [
      reserve(50).then((out) => (order.push('first'), out)),
      reserve(10).then((out) => (order.push('second'), out)),
    ];
    await new Promise((done) => setTimeout(done, 20));
    expect(order).toEqual([]);
    leave();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
    await expect(reserve(undefined)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 10 });
    small();
  });
});

describe('a chatbot that knows one sentence', () => {
  const alone = async (settings: object = {}) => {
    const bot = await chatbot(settings);
    await ended((await upload(bot, 'sky.txt', SKY)).body.uuid);
    return bot;
  };

  it('answers from it', async () => {
    const bot = await alone();
    for (const query of ['What colour is the sky over Zembla?', 'zembla sky', 'Is the sky green over Zembla?']) {
      expect((await ask(bot, query)).response).toBe(SKY);
    }
  });

  it.each([
    ['Write an essay about the sky over Zembla.', true],
    ['Please write me a long, detailed article about the sky over Zembla', true],
    ['Tell me everything about the sky over Zembla', true],
    ['Explain the sky over Zembla in detail', true],
    ['I need a 500-word essay on Zembla', true],
    ['Write a long essay about the history of the internet.', false],
    ['Write a poem', false],
  ])('asked to %j says two lines at least, and no more than it knows', async (query, knows) => {
    const bot = await alone();
    const { response } = await ask(bot, query);
    expect(response.split('\n').filter(Boolean).length).toBeGreaterThanOrEqual(2);
    expect(response.startsWith(SKY)).toBe(knows);
  });

  it('says several sentences as paragraphs where much is asked for', async () => {
    const bot = await chatbot();
    const text =
      'The ferry to Zembla leaves at nine.\n\nThe ferry to Zembla takes two hours.\n\nBicycles travel free on the ferry to Zembla.';
    await ended((await upload(bot, 'ferry.txt', text)).body.uuid);
    const { response, citations } = await ask(bot, 'Write an essay about the ferry to Zembla');
    const paragraphs = response.split('\n\n');
    expect(paragraphs).toHaveLength(4);
    expect(paragraphs.slice(0, 3).every((one) => /^[^\n]+\. \[\d\]$/.test(one))).toBe(true);
    expect(Object.keys(citations).length).toBeGreaterThan(0);
  });
});
