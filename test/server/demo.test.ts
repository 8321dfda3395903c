import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, until, type Running } from '../running.ts';
import { faultyDisk } from '../store/faulty-disk.ts';

let DATA_DIR: string;
const open: Running[] = [];

beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-demo-'));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
  await rm(DATA_DIR, { recursive: true, force: true });
});

async function startDemo(env: NodeJS.ProcessEnv = {}): Promise<{ docent: Running; chatbot: string; created: boolean }> {
  const docent = await start({ DATA_DIR, DEMO: '1', ...env });
  open.push(docent);
  const made = await docent.booted.demo!.prepare();
  await docent.booted.demo!.learned(20_000);
  return { docent, ...made };
}

async function stop(docent: Running): Promise<void> {
  open.splice(open.indexOf(docent), 1);
  await docent.stop();
}

const sourcesOf = async (docent: Running, chatbot: string) =>
  (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body;

/** The finished message at the end of the event stream. */
async function ask(docent: Running, chatbot: string, query: string) {
  const reply = await fetch(`${docent.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(/event: done\ndata: (.*)\n/.exec(await reply.text())![1]!);
}

it('the first start ingests the demo by HTTP, and its chatbot cites a page', async () => {
  const { docent, chatbot, created } = await startDemo();
  expect(created).toBe(true);
  const sources = await sourcesOf(docent, chatbot);
  expect(sources.length).toBeGreaterThanOrEqual(6);
  expect(new Set(sources.map((one: { status: string }) => one.status))).toEqual(new Set(['success']));
  const message = await ask(docent, chatbot, 'How long do I have to return something?');
  expect(message.response).toMatch(/\d+ days[^]*\[1\]/);
  expect(JSON.parse(message.cite_data_json)['1'].file_name).toBe(`${docent.base}/demo/returns.html`);
  expect((await docent.api('GET', `/chatbot/${chatbot}`)).body.meta).toMatchObject({
    visibility: 'public',
    show_citations: true,
  });
});

it('each suggested question gets its answer', async () => {
  const { docent, chatbot } = await startDemo();
  const { suggestions } = await (await fetch(`${docent.base}/chat/${chatbot}`)).json();
  const answers = await Promise.all(suggestions.map((query: string) => ask(docent, chatbot, query)));
  expect(answers.map(({ response }) => response.split('\n')[0])).toEqual([
    expect.stringMatching(/^How long you have: You have 45 days to return/),
    expect.stringMatching(/^Rates and times: .*Europe .* £14/),
    expect.stringMatching(/^What is covered, and for how long: The warranty covers cloth/),
  ]);
});

it('serves its pages with the chatbot’s uuid and strict security headers', async () => {
  const { docent, chatbot } = await startDemo();
  const page = await fetch(`${docent.base}/demo/returns.html`);
  expect(await page.text()).toContain(`data-chatbot="${chatbot}"`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('strict-transport-security')).toBeNull();
  const root = await fetch(docent.base, { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/demo/']);
  for (const path of ['/demo/nothing.html', '/demo/__proto__', '/demo/../package.json', '/demo/%2e%2e/package.json']) {
    expect((await fetch(docent.base + path)).status).toBe(404);
  }
});

it('answers 503 for the demo’s pages until its chatbot is stored', async () => {
  const disk = faultyDisk();
  const docent = await start({ DATA_DIR, DEMO: '1' }, disk);
  open.push(docent);
  const page = () => fetch(`${docent.base}/demo/`);
  const early = page();
  disk.failing('rename', 'EIO', 1, 1);
  await expect(docent.booted.demo!.prepare()).rejects.toThrow('EIO');
  expect((await early).status).toBe(503);
  const reply = await page();
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
  const { chatbot } = await docent.booted.demo!.prepare();
  expect(await (await page()).text()).toContain(chatbot);
});

it('a page requested before the demo is ready waits for its uuid', async () => {
  const docent = await start({ DATA_DIR, DEMO: '1' });
  open.push(docent);
  const page = fetch(`${docent.base}/demo/`);
  await fetch(`${docent.base}/healthz`);
  const { chatbot } = await docent.booted.demo!.prepare();
  expect(await (await page).text()).toContain(chatbot);
});

it.each(['PUT', 'DELETE', 'POST'])('refuses %s with 405', async (method) => {
  const docent = await start({ DATA_DIR, DEMO: '1' });
  open.push(docent);
  for (const path of ['/', '/demo']) {
    const reply = await fetch(docent.base + path, { method, redirect: 'manual' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  }
});

it('a restart keeps the chatbot, and citations use the new public URL', async () => {
  const first = await startDemo();
  await stop(first.docent);
  const second = await startDemo({ PUBLIC_URL: 'https://help.shop.test' });
  expect([second.chatbot, second.created]).toEqual([first.chatbot, false]);
  const names = (await sourcesOf(second.docent, second.chatbot)).map((one: { file_name: string }) => one.file_name);
  expect(names.length).toBeGreaterThanOrEqual(6);
  expect(names.every((name: string) => name.startsWith('https://help.shop.test/demo/'))).toBe(true);
  const message = await ask(second.docent, second.chatbot, 'How long do I have to return something?');
  expect(JSON.parse(message.cite_data_json)['1'].file_name).toBe('https://help.shop.test/demo/returns.html');
});

it('ingests its pages from loopback although PUBLIC_URL is another host', async () => {
  const { docent, chatbot } = await startDemo({ PUBLIC_URL: 'https://help.shop.test' });
  const sources = () => sourcesOf(docent, chatbot);
  await until(sources, (all) => all.length > 5 && all.every((one: { status: string }) => one.status === 'success'));
});

it('a deleted demo chatbot is created again at the next start', async () => {
  const first = await startDemo();
  await first.docent.api('DELETE', `/chatbot/${first.chatbot}/delete`);
  await stop(first.docent);
  const second = await startDemo();
  expect([second.chatbot, second.created]).toEqual([first.chatbot, true]);
});

it('with DEMO=0 there is no demo, and no source may fetch the server itself', async () => {
  const docent = await start({ DATA_DIR });
  open.push(docent);
  expect((await fetch(`${docent.base}/demo/`)).status).toBe(404);
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
  await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url: `${docent.base}/demo/` });
  const [source] = await until(
    () => sourcesOf(docent, uuid),
    ([one]) => one.status !== 'await',
  );
  expect(source.status).toBe('error:blocked address');
});

it.each(['/api/v1/chatbots', '/chat/x', '/demo/../healthz', '/demo/%2e%2e/healthz', '/healthz'])(
  'refuses a source of the server’s own %s',
  async (path) => {
    const { docent } = await startDemo();
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
    await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url: docent.base + path });
    const [source] = await until(
      () => sourcesOf(docent, uuid),
      ([one]) => one.status.startsWith('error'),
    );
    expect(source.status).toBe('error:blocked address');
  },
);

describe('the demo’s team', () => {
  const agentsOf = async (docent: Running, chatbot: string) =>
    (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body;

  it('has six agents, all enabled, and each question goes to the one it belongs to', async () => {
    const { docent, chatbot } = await startDemo();
    const agents = await agentsOf(docent, chatbot);
    expect(agents.map(({ name, type, enabled }: Record<string, unknown>) => [name, type, enabled])).toEqual([
      ['General Q&A', 'user-facing', 1],
      ['Repairs', 'user-facing', 1],
      ['Opening hours', 'pre-canned', 1],
      ['A person', 'human-escalation', 1],
      ['Spam', 'spam-defense', 1],
      ['Labels', 'background', 1],
    ]);
    expect(agents[5].meta.tags.map((tag: { name: string }) => tag.name)).toEqual(['Complaint', 'Order', 'Wholesale']);
    const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body;
    const questions = [
      'How long do I have to return something?',
      'The seam of my pannier has split, can you mend that?',
      'Are you open on Thursday evening?',
      'Please let me talk to a human being.',
      'WINNER!! You have been selected to receive a £900 prize! Call 09061701461 now to claim',
    ];
    for (const query of questions) await docent.api('POST', `/session/${uuid}/message/non-stream`, { query });
    const messages = (await docent.api('GET', `/session/${uuid}/messages`)).body;
    const answers = messages.map((one: { meta_json: string; response: string }) => [
      JSON.parse(one.meta_json).active_agent.name,
      one.response,
    ]);
    expect(answers).toEqual([
      ['General Q&A', expect.stringContaining('45 days')],
      ['Repairs', expect.stringContaining('[1]')],
      ['Opening hours', expect.stringContaining('Thursday from 10 am to 7 pm')],
      ['A person', expect.stringContaining('01632 960 142')],
      ['Spam', expect.stringContaining('I can only help')],
    ]);
  });

  it('stays as its owner has left it', async () => {
    const first = await startDemo();
    const [, repairs] = await agentsOf(first.docent, first.chatbot);
    await first.docent.api('DELETE', `/agent/${repairs.uuid}/delete`);
    await stop(first.docent);
    const second = await startDemo();
    const names = (await agentsOf(second.docent, second.chatbot)).map((one: { name: string }) => one.name);
    expect(names).toEqual(['General Q&A', 'Opening hours', 'A person', 'Spam', 'Labels']);
  });
});
