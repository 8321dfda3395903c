import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, site, start, until, type Running } from '../../running.ts';

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>
   <nav><a href="/">Home of navigation words</a></nav><main>${body}</main><footer>Footer words</footer></body></html>`;

let docent: Running;
let shop: Awaited<ReturnType<typeof site>>;

beforeAll(async () => {
  shop = await site({
    '/returns': page(
      'Returns',
      `<h1>Returns</h1><p>You may return any item within 45 days of delivery, for whatever reason.</p>
       <p>Write to us first and we send a label. Refunds arrive on the card that paid within five working days.</p>`,
    ),
    '/one': page('Hours', '<p>The workshop is open from nine to five on weekdays.</p>'),
    '/binary': (_request, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end('x'),
    '/moved': (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/private' }).end(),
    '/blank': page('Blank', ''),
  });
  docent = await start({ FETCH_ALLOW: shop.host });
});
afterAll(async () => {
  await docent.stop();
  await shop.close();
});

async function chatbotWith(paths: string[], settings: object = { show_citations: true }): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop', ...settings })).body;
  for (const path of paths) await learn(uuid, shop.base + path);
  return uuid;
}

async function learn(chatbot: string, url: string) {
  await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url });
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then((reply) => reply.body);
  return until(sources, (all) => all.every((one: { status: string }) => /^(success|fail|error:)/.test(one.status)));
}

async function ask(chatbot: string, query: string) {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  const reply = await docent.api('POST', `/session/${session}/message/stream`, { query });
  const messages = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { session, reply, messages };
}

describe('a page by its URL', () => {
  it('is learned, and its record says what was found', async () => {
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
    const made = await docent.api('POST', `/chatbot/${uuid}/data-source/url`, {
      url: `${shop.base}/returns`,
      reference_source_link: 'https://shop.test/returns',
    });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ type: 'link', status: 'await', file_name: `${shop.base}/returns`, tokens: 0 });
    const [learned] = await learn(uuid, `${shop.base}/returns`);
    expect(learned).toEqual({
      uuid: made.body.uuid,
      title: 'Returns',
      type: 'link',
      status: 'success',
      file_name: `${shop.base}/returns`,
      file_size: expect.any(Number),
      tokens: expect.any(Number),
      meta_json: JSON.stringify({ reference_source_link: 'https://shop.test/returns', passages: 1 }),
      created_at: made.body.created_at,
      modified_at: expect.any(String),
    });
    expect(learned.tokens).toBeGreaterThan(20);
  });

  it('is refused a second time with the record that is there', async () => {
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
    const url = `${shop.base}/returns`;
    const first = await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url });
    const second = await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url: `${url}#refunds` });
    expect([second.status, second.body.uuid]).toEqual([409, first.body.uuid]);
  });

  it.each([
    ['/nothing-there', 'error:not found'],
    ['/binary', 'error:content type'],
    ['/moved', 'error:blocked address'],
    ['/blank', 'error:no text'],
  ])('at %s ends as %s', async (path, status) => {
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
    expect((await learn(uuid, shop.base + path))[0].status).toBe(status);
  });

  it.each(['http://127.0.0.1:9/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]/', 'http://169.254.169.254/latest'])(
    'is not fetched from %s',
    async (url) => {
      const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
      expect((await learn(uuid, url))[0].status).toBe('error:blocked address');
    },
  );

  it.each(['shop.test', 'ftp://shop.test/', 'javascript:alert(1)', '', 'http://user:secret@shop.test/'])(
    'must be a whole address, unlike %j',
    async (url) => {
      const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
      const reply = await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url });
      expect([reply.status, reply.body.field]).toEqual([422, 'url']);
    },
  );

  it('that is deleted answers no more', async () => {
    const chatbot = await chatbotWith(['/returns']);
    const [source] = (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body;
    expect((await docent.api('POST', `/data-source/${source.uuid}/delete`)).body).toEqual({ success: true });
    expect((await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body).toEqual([]);
    expect((await ask(chatbot, 'How long do I have to return something?')).reply.body).not.toContain('45 days');
    expect((await docent.api('POST', `/data-source/${source.uuid}/delete`)).status).toBe(404);
  });
});

describe('an answer without a model', () => {
  it('quotes the right sentence, streams it as plain text and stores it with its citation', async () => {
    const chatbot = await chatbotWith(['/returns', '/one']);
    const { reply, messages } = await ask(chatbot, 'How long do I have to return something?');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.headers.get('content-encoding')).toBeNull();
    expect(reply.body).toMatch(/You may return any item within 45 days of delivery, for whatever reason\.[^]*\[1\]/);
    const [message] = messages;
    expect(message.response).toBe(reply.body);
    expect(JSON.parse(message.cite_data_json)['1']).toEqual({
      data_source_uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      title: 'Returns',
      text: expect.stringContaining('45 days of delivery'),
      file_name: `${shop.base}/returns`,
      type: 'link',
    });
  });

  it('has exactly the keys of the interface in its record', async () => {
    const chatbot = await chatbotWith(['/one']);
    const { messages } = await ask(chatbot, 'When is the workshop open?');
    expect(messages).toEqual([
      {
        uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
        query: 'When is the workshop open?',
        response: expect.stringContaining('from nine to five on weekdays'),
        finish_reason: 'stop',
        cite_data_json: expect.any(String),
        meta_json: expect.any(String),
        created_at: expect.any(String),
        modified_at: expect.any(String),
        background_pending_tasks: 0,
        detected_frustrations: '',
        error_message: '',
        feedback_json: '{}',
        labels: [],
        session_documents: [],
      },
    ]);
    const meta = JSON.parse(messages[0].meta_json);
    expect(Object.keys(meta)).toEqual([
      'actual_token_distribution',
      'functions_called',
      'active_agent',
      'credits',
      'routing',
      'outcome',
    ]);
    expect(meta.routing).toEqual({ by: 'only', agent: meta.active_agent.uuid });
    expect(meta.outcome).toBe('answered');
    expect(meta.active_agent.name).toBe('General Q&A');
  });

  it('carries no marker where the chatbot shows no citations', async () => {
    const chatbot = await chatbotWith(['/returns'], { show_citations: false });
    const { reply, messages } = await ask(chatbot, 'How long do I have to return something?');
    expect(reply.body).toContain('45 days');
    expect(reply.body).not.toMatch(/\[\d/);
    expect(messages[0].cite_data_json).toBe('{}');
  });

  it('says honestly, in two lines or more, what it does not know', async () => {
    const chatbot = await chatbotWith(['/returns', '/one']);
    for (const query of ['Who won the football world cup in 1974?', 'Who was Napoleon?']) {
      const { reply, messages } = await ask(chatbot, query);
      expect(reply.body.trim().split('\n').length).toBeGreaterThanOrEqual(2);
      expect(reply.body).not.toMatch(/\[\d\]/);
      expect(messages[0].cite_data_json).toBe('{}');
    }
  });

  it('quotes nothing of what was asked before where it is asked who it is', async () => {
    const chatbot = await chatbotWith(['/returns', '/one']);
    const { session } = await ask(chatbot, 'How long do I have to return something?');
    const say = async (query: string) =>
      (await docent.api('POST', `/session/${session}/message/stream`, { query })).body;
    for (const query of ['Who are you?', 'What can you do?', '???']) expect(await say(query)).not.toMatch(/\[\d\]/);
    expect(await say('Why?')).toContain('45 days');
  });

  it('comes too from a chatbot with no source at all', async () => {
    const chatbot = await chatbotWith([]);
    expect((await ask(chatbot, 'What do you sell?')).reply.body.split('\n').length).toBeGreaterThanOrEqual(2);
  });

  it('is stored though the caller hangs up at once', async () => {
    const chatbot = await chatbotWith(['/returns']);
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    await new Promise<void>((done) => {
      const body = JSON.stringify({ query: 'How long do I have to return something?' });
      const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
      const sent = request(`${docent.base}/api/v1/session/${session}/message/stream`, { method: 'POST', headers });
      sent.on('error', () => {});
      sent.end(body, () => setTimeout(() => (sent.destroy(), done()), 5));
    });
    const messages = () => docent.api('GET', `/session/${session}/messages`).then((reply) => reply.body);
    const stored = await until(messages, (all) => all[0]?.finish_reason === 'stop');
    expect(stored[0].response).toContain('45 days');
  });
});

describe('a question', () => {
  it.each([
    [{}, 'query'],
    [{ query: '' }, 'query'],
    [{ query: ' \n\t\u00a0\u3000' }, 'query'],
    [{ query: 5 }, 'query'],
    [{ query: 'x'.repeat(8001) }, 'query'],
    [{ query: 'a\u0000' }, 'query'],
  ])('%j is refused and stores nothing', async (body, field) => {
    const chatbot = await chatbotWith([]);
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    const reply = await docent.api('POST', `/session/${session}/message/stream`, body);
    expect([reply.status, reply.body.field]).toEqual([422, field]);
    expect((await docent.api('GET', `/session/${session}/messages`)).body).toEqual([]);
  });

  it('to a session that was deleted is 404', async () => {
    const chatbot = await chatbotWith([]);
    const { session } = await ask(chatbot, 'Is it open?');
    expect((await docent.api('POST', `/session/${session}/delete`)).body).toEqual({ success: true });
    expect((await docent.api('POST', `/session/${session}/message/stream`, { query: 'Is it open?' })).status).toBe(404);
    expect((await docent.api('GET', `/session/${session}/messages`)).status).toBe(404);
  });
});
