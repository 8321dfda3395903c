import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** `docent chatbot`, `ask` and `user remove`, by themselves and with a server that has the folder. */

const pages = {
  '/': '<title>Museum</title><main><p>The museum opens at nine.</p><a href="/tickets">Tickets</a></main>',
  '/tickets': '<title>Tickets</title><main><h1>Tickets</h1><p>A ticket costs 12 euros for adults.</p></main>',
};

let museum: Awaited<ReturnType<typeof site>>;
let model: FakeModel;
beforeAll(async () => {
  museum = await site(pages);
  model = await startFakeModel({ script: { pieces: ['By the ', 'model.'] } });
});
afterAll(async () => {
  await museum.close();
  await model.close();
});

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'docent-chatbots-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

describe.each(['without a server', 'with a running server'])('%s', (how) => {
  const hasServer = how.startsWith('with ');
  const env = (): NodeJS.ProcessEnv => ({ DATA_DIR: dir, FETCH_ALLOW: museum.host });
  let running: Running | undefined;
  beforeEach(async () => {
    running = hasServer ? await start(env()) : undefined;
    // Else the first command tells that it has made the folder.
    await docent('user', 'list');
  });
  afterEach(() => running?.stop());

  async function docent(...words: string[]) {
    const said = { out: '', err: '' };
    const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
    return { code: await runCommand(words, env(), terminal), ...said };
  }

  const listed = async (): Promise<string[][]> => {
    const { code, out } = await docent('chatbot', 'list');
    expect(code).toBe(0);
    const [head, ...lines] = out.trim().split('\n');
    expect(head).toMatch(/^UUID +NAME +USER +VISIBILITY +SOURCES +CREATED$/);
    return lines.map((line) => line.split(/ {2,}/));
  };

  /** What `chatbot add` printed: the uuid. */
  async function added(...words: string[]): Promise<string> {
    const { code, out, err } = await docent('chatbot', 'add', ...words);
    expect({ code, err }).toMatchObject({ code: 0 });
    return out.split('\n')[0]!;
  }

  it('adds a chatbot, prints its script tag, and lists it', async () => {
    const { code, out, err } = await docent('chatbot', 'add', 'Help', '--public');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [uuid, tag] = out.split('\n');
    expect(uuid).toMatch(/^[0-9a-f]{32}$/);
    const base = running?.base ?? 'http://127.0.0.1:8080';
    const inReadme = /<script async .*<\/script>/.exec(await readFile('README.md', 'utf8'))?.[0];
    expect(tag).toBe(inReadme?.replace('https://chat.example.com', base).replace('CHATBOT_UUID', uuid!));
    expect(out.split('\n')).toHaveLength(3);
    expect(await listed()).toEqual([[uuid, 'Help', 'owner@localhost', 'public', '0', expect.stringMatching(/Z$/)]]);
  });

  it('adds a private chatbot without --public, and says so on standard error', async () => {
    const { out, err } = await docent('chatbot', 'add', 'Help');
    expect(err).toContain('It is private');
    expect((await listed())[0]?.[3]).toBe('private');
    if (!running) return;
    const [uuid] = out.split('\n');
    const ask = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"query":"hi"}' };
    expect((await fetch(`${running.base}/chat/${uuid}/ask`, ask)).status).toBe(404);
    const { body } = await running.api('GET', `/chatbot/${uuid}`);
    expect(body.meta).toEqual({ ...body.meta, visibility: 'private', show_citations: true });
    expect((await running.api('GET', `/chatbot/${uuid}/agents`)).body).toHaveLength(1);
  });

  it('adds a chatbot with a site, and answers from its pages, with the sources', async () => {
    const { code, out } = await docent('chatbot', 'add', 'Museum', '--site', `${museum.base}/`);
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9a-f]{32}\n<script .*<\/script>\nlearned 2 pages in \d+\.\d s\n$/);
    expect((await listed())[0]?.[4]).toBe('2');
    const asked = await docent('ask', 'museum', 'What does a ticket cost?');
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toMatch(/A ticket costs 12 euros for adults\. \[1\]\n\n\[1\] .*Tickets.*: http.*\/tickets\n$/s);
    // Words need no quotation marks.
    expect(await docent('ask', out.split('\n')[0]!, 'What', 'does', 'a', 'ticket', 'cost?')).toEqual(asked);
    const unknown = await docent('ask', 'Museum', 'Who wrote the opera about the flying whale?');
    expect(unknown).toMatchObject({ code: 0, err: '' });
    expect(unknown.out).not.toMatch(/\[1\]/);
  });

  it('passes crawl limits on, and exits with 1 where a page cannot be fetched', async () => {
    const bounded = await docent('chatbot', 'add', 'A', '--site', `${museum.base}/`, '--exclude', '/tickets');
    expect(bounded.out).toContain('learned 1 page');
    const gone = await docent('chatbot', 'add', 'B', '--site', `${museum.base}/gone`);
    expect(gone.code).toBe(1);
    expect(gone.err).toContain('not found');
  });

  it.each([
    ['Help', '--site', 'museum.test'],
    ['Help', '--max-pages', '3'],
    ['Help', '--site', 'http://museum.test/', '--max-pages', 'all'],
    [''],
    ['n'.repeat(201)],
  ])('chatbot add %s %s %s %s: makes no chatbot', async (...words) => {
    const { code, out, err } = await docent('chatbot', 'add', ...words);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^docent: .*(?:url|--site|--max-pages|name).*\n$/);
    expect(await listed()).toEqual([]);
  });

  it('stores no conversation for a question', async () => {
    const uuid = await added('Help');
    expect((await docent('ask', uuid, 'Hello?')).code).toBe(0);
    const looked = running ?? (await start(env()));
    expect((await looked.api('GET', `/chatbot/${uuid}/sessions`)).body).toEqual([]);
    if (!running) await looked.stop();
  });

  it('refuses an ambiguous name with both candidates, but accepts one in its exact case', async () => {
    const one = await added('Shop', '--public');
    const looked = running ?? (await start(env()));
    const other = (await looked.api('POST', '/chatbot/create', { name: 'shop' })).body.uuid;
    if (!running) await looked.stop();
    const unclear = await docent('ask', 'SHOP', 'hi');
    expect(unclear).toMatchObject({ code: 1, out: '' });
    expect(unclear.err).toContain('"SHOP" could be any of 2 chatbots');
    for (const uuid of [one, other]) expect(unclear.err).toContain(uuid);
    expect((await docent('ask', 'shop', 'hi')).code).toBe(0);
    expect((await docent('ask', one.toUpperCase(), 'hi')).code).toBe(0);
    expect((await docent('ask', 'Sho', 'hi')).err).toContain('there is no chatbot "Sho"');
    expect((await docent('ask', 'Shop', ' ')).err).toContain('query must be');
  });

  it.each(['Shop', 'SHOP', ' shop '])('a second chatbot of a name that is taken is refused: %s', async (name) => {
    const uuid = await added('Shop', '--public');
    const again = await docent('chatbot', 'add', name, '--site', `${museum.base}/`);
    expect(again).toEqual({
      code: 1,
      out: '',
      err: `docent: there is a chatbot "Shop" already; "docent learn ${uuid} URL --site" teaches it, or choose another name\n`,
    });
    expect(await listed()).toHaveLength(1);
  });

  it('changes the visibility, and refuses any other word', async () => {
    const { out, err } = await docent('chatbot', 'add', 'Help');
    const uuid = out.split('\n')[0]!;
    expect(err).toContain(`docent chatbot update ${uuid} --visibility public`);
    const changed = await docent('chatbot', 'update', 'help', '--visibility', 'public');
    expect(changed).toEqual({ code: 0, out: 'Help is public\n', err: '' });
    expect((await listed())[0]?.slice(0, 4)).toEqual([uuid, 'Help', 'owner@localhost', 'public']);
    const wrong = await docent('chatbot', 'update', uuid, '--visibility', 'open');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toBe('docent: visibility must be one of "private", "public", "hybrid"\n');
    expect((await docent('chatbot', 'update', 'Nobody', '--visibility', 'public')).err).toContain(
      'no chatbot "Nobody"',
    );
    expect((await listed())[0]?.[3]).toBe('public');
    if (!running) return;
    const { body } = await running.api('GET', `/chatbot/${uuid}`);
    expect(body).toMatchObject({ name: 'Help', meta: { visibility: 'public', show_citations: true } });
  });

  it.each(['ann@bücher.example', 'ann@例え.jp'])('commands reach the chatbot of %s', async (email) => {
    expect((await docent('user', 'add', email)).code).toBe(0);
    const key = (await docent('key', 'add', email, '--name', 'laptop')).out.trim();
    const serving = running ?? (await start(env()));
    await fetch(`${serving.base}/api/v1/chatbot/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Theirs' }),
    });
    if (!running) await serving.stop();
    expect((await docent('chatbot', 'update', 'Theirs', '--visibility', 'public')).code).toBe(0);
    const learned = await docent('learn', 'Theirs', `${museum.base}/tickets`);
    expect([learned.code, learned.err]).toEqual([0, expect.not.stringContaining('no user')]);
    expect((await docent('chatbot', 'remove', 'Theirs')).code).toBe(0);
  });

  it('removes a chatbot with its sources, by name or uuid', async () => {
    const uuid = await added('Museum', '--public', '--site', `${museum.base}/`);
    const other = await added('Other');
    expect((await docent('chatbot', 'remove', 'Nobody')).code).toBe(1);
    const removed = await docent('chatbot', 'remove', 'museum');
    expect(removed).toEqual({ code: 0, out: `deleted the chatbot Museum (${uuid}) with 2 sources\n`, err: '' });
    expect((await listed()).map(([one]) => one)).toEqual([other]);
    if (running) expect((await running.api('GET', `/chatbot/${uuid}`)).status).toBe(404);
    expect((await docent('chatbot', 'remove', other)).out).toContain('deleted the chatbot Other');
    expect(await listed()).toEqual([]);
  });

  it('prints a source without an address by its title, without a colon', async () => {
    const uuid = await added('Help');
    const looked = running ?? (await start(env()));
    const pair = { question: 'How long may I return a lamp?', answer: 'You may return a lamp within 45 days.' };
    await looked.api('POST', `/chatbot/${uuid}/data-source/qa`, pair);
    const sources = () => looked.api('GET', `/chatbot/${uuid}/data-sources`).then(({ body }) => body);
    await until(sources, ([source]) => source.status === 'success');
    if (!running) await looked.stop();
    expect((await docent('ask', 'Help', pair.question)).out).toMatch(/\n\[1\] How long may I return a lamp\?\n$/);
  });

  it('removes a user with their keys', async () => {
    await docent('user', 'add', 'ann@example.com');
    const key = (await docent('key', 'add', 'ann@example.com', '--name', 'laptop')).out.trim();
    const removed = await docent('user', 'remove', 'Ann@Example.com');
    expect(removed).toEqual({ code: 0, out: 'removed ann@example.com, and ended 1 key\n', err: '' });
    expect((await docent('user', 'list')).out).not.toContain('ann');
    expect((await docent('key', 'list')).out).not.toContain('laptop');
    const looked = running ?? (await start(env()));
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${looked.base}/api/v1/user`, { headers })).status).toBe(401);
    if (!running) await looked.stop();
    expect((await docent('user', 'remove', 'ann@example.com')).err).toContain('there is no user ann@example.com');
    expect((await docent('user', 'remove', 'owner@localhost')).err).toContain('owner@localhost owns this installation');
  });

  it('refuses to remove a user who has chatbots without --with-chatbots', async () => {
    await docent('user', 'add', 'ann@example.com');
    const key = (await docent('key', 'add', 'ann@example.com', '--name', 'laptop')).out.trim();
    const looked = running ?? (await start(env()));
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = '{"name":"Hers"}';
    expect((await fetch(`${looked.base}/api/v1/chatbot/create`, { method: 'POST', headers, body })).status).toBe(200);
    if (!running) await looked.stop();
    const refused = await docent('user', 'remove', 'ann@example.com');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toBe('docent: ann@example.com has chatbots: Hers; --with-chatbots deletes them, too\n');
    expect((await listed()).map(([, name]) => name)).toEqual(['Hers']);
    const removed = await docent('user', 'remove', 'ann@example.com', '--with-chatbots');
    expect(removed.out).toBe('deleted the chatbot Hers\nremoved ann@example.com, and ended 1 key\n');
    expect(await listed()).toEqual([]);
  });
});

describe('with a model', () => {
  it('sends 102 Processing while a slow command runs', async () => {
    const env = { DATA_DIR: dir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' };
    const running = await start(env);
    expect(await runCommand(['chatbot', 'add', 'Help'], env, { out: () => {}, err: () => {} })).toBe(0);
    model.next({ pieces: ['Late.'], delay: 5000 });
    const { body } = await running.api('GET', '/chatbots');
    const path = `/control/chatbot/${body[0].uuid}/ask`;
    const asking = request({ socketPath: join(dir, 'docent.sock'), method: 'POST', path });
    const signs: number[] = [];
    asking.on('information', ({ statusCode }) => signs.push(statusCode));
    asking.end('{"query":"Who answers?"}');
    const [reply] = (await once(asking, 'response')) as [IncomingMessage];
    expect(signs).toContain(102);
    expect(await json(reply)).toEqual({ answer: 'Late.', sources: [], fallback: '', fault: '' });
    await running.stop();
  });

  it('writes nothing to the disk while it answers a question', async () => {
    const env = { DATA_DIR: dir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' };
    const terminal = { out: () => {}, err: () => {} };
    await runCommand(['chatbot', 'add', 'Help'], env, terminal);
    const asked = model.requests.length;
    model.next({ pieces: ['Late.'], delay: 500 });
    const asking = runCommand(['ask', 'help', 'Who answers?'], env, terminal);
    await until(
      async () => model.requests.length,
      (count) => count > asked,
    );
    const files = await readdir(dir, { recursive: true });
    expect(files.filter((name) => name.endsWith('.jsonl') && name.startsWith('sessions'))).toEqual([]);
    expect(await asking).toBe(0);
  });

  it('shuts down without waiting for the answer of a command', async () => {
    const env = { DATA_DIR: dir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' };
    const running = await start(env);
    await runCommand(['chatbot', 'add', 'Help'], env, { out: () => {}, err: () => {} });
    const asked = model.requests.length;
    model.next({ pieces: ['Never.'], delay: 3_600_000 });
    const asking = runCommand(['ask', 'help', 'Who answers?'], env, { out: () => {}, err: () => {} });
    await until(
      async () => model.requests.length,
      (count) => count > asked,
    );
    await running.stop();
    await asking;
  });

  it('applies ANSWER_TIMEOUT without a server, too', async () => {
    const env = { DATA_DIR: dir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm', ANSWER_TIMEOUT: '1' };
    let err = '';
    const terminal = { out: () => {}, err: (text: string) => (err += text) };
    await runCommand(['chatbot', 'add', 'Help'], env, terminal);
    model.next({ pieces: Array.from({ length: 100 }, () => 'on and '), pace: 100 });
    await runCommand(['ask', 'help', 'Who answers?'], env, terminal);
    expect(model.requests).not.toEqual([]);
    expect(err).toContain('was not whole after ANSWER_TIMEOUT');
  });

  it.each(['without a server', 'with a running server'])('the model answers, %s', async (how) => {
    const env = { DATA_DIR: dir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' };
    const running = how.startsWith('with ') ? await start(env) : undefined;
    let out = '';
    const terminal = { out: (text: string) => (out += text), err: () => {} };
    expect(await runCommand(['chatbot', 'add', 'Help'], env, terminal)).toBe(0);
    out = '';
    expect(await runCommand(['ask', 'help', 'Who answers?'], env, terminal)).toBe(0);
    expect(out).toBe('By the model.\n');
    model.next({ status: 500, raw: ['broken'] });
    let err = '';
    const heard = { ...terminal, err: (text: string) => (err += text) };
    expect(await runCommand(['ask', 'help', 'Who answers?'], env, heard)).toBe(0);
    expect(err).toContain('docent: the sources are quoted, for the model failed: ');
    await running?.stop();
  });
});
