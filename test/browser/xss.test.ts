import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedData } from '../shared.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';

/** Strings that mean harm, in every place that somebody else may write, in a browser that would run them. */

const own = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](java\tscript:alert(1))',
  '![x](https://evil.test/x.png)',
  '<javascript:alert(1)>',
  'javascript:alert(1)',
  'https://shop.test/" onmouseover="alert(1)',
];
const path = sharedData('xss.json');
const strings = [...own, ...(path ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [])];

const panelFile = (): string => readdirSync('dist/embed').find((file) => /^panel-.+\.js$/.test(file))!;

const site = createServer(({ url }, response) => {
  if (url === '/boot.js') {
    const boot = `import { openPanel } from '${server.base}/embed/${panelFile()}'; window.openPanel = openPanel;`;
    return void response.setHeader('Content-Type', 'text/javascript').end(boot);
  }
  const html =
    '<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><body><script type="module" src="/boot.js"></script></body></html>';
  response.setHeader('Content-Security-Policy-Report-Only', "default-src 'none'; script-src http:; img-src data:");
  response.setHeader('Content-Type', 'text/html').end(html);
});
let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer({ DEMO: '0' }), launchChromium()]);
  await once(site.listen(0, '127.0.0.1'), 'listening');
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  site.close();
});

interface Panel {
  openPanel(root: ShadowRoot, options: object): { chat: { open(): void; ask(query: string): void }; destroy(): void };
}

/** Shows one string as name, greeting, suggestion, question, answer, title, quote and address; tells what of it is no text. */
async function shown(page: Page, text: string): Promise<string[]> {
  return page.evaluate(async (text) => {
    const { openPanel } = globalThis as unknown as Panel;
    const host = document.body.appendChild(document.createElement('div'));
    const root = host.attachShadow({ mode: 'open' });
    const message = {
      uuid: 'm1',
      query: text,
      response: `${text}\n\n${text} [1] [2]`,
      finish_reason: 'stop',
      cite_data_json: JSON.stringify({
        1: { data_source_uuid: text, title: text, text, file_name: text, type: text },
        2: { data_source_uuid: 'a', title: text, text, file_name: `https://shop.test/${text}`, type: 'link' },
      }),
      feedback_json: '{}',
      created_at: text,
      modified_at: text,
    };
    const face = { uuid: 'c', name: text, show_citations: true, greeting: text, suggestions: [text, text] };
    const owner = { theme: { color: text }, words: { field: text, sources: text }, title: text, label: text };
    const links = { avatar: '', icon: text, privacy_url: text, disclaimer: text, image_hosts: [], language: text };
    const client = {
      face: async () => ({ ...face, ...owner, ...links }),
      async *ask() {
        yield { event: 'session', data: { uuid: 's1' } };
        yield { event: 'message', data: { uuid: 'm1' } };
        yield { event: 'delta', id: message.response.length, data: { text: message.response } };
        yield { event: 'done', data: message };
      },
      messages: async () => [],
    };
    const memory = { read: () => ({}), write: () => undefined };
    const opened = openPanel(root, { server: '', chatbot: 'c', client, memory });
    opened.chat.open();
    const pause = (): Promise<unknown> => new Promise((done) => setTimeout(done, 0));
    for (let tries = 0; tries < 50 && !root.querySelector('.welcome'); tries++) await pause();
    opened.chat.ask(text);
    for (let tries = 0; tries < 200 && !root.querySelector('.sources'); tries++) await pause();
    const bad: string[] = root.querySelector('.sources') ? [] : ['no answer'];
    root.querySelector<HTMLElement>('button.marker')?.click();
    await pause();
    for (const element of root.querySelectorAll('*')) {
      if (/^(?:script|img|iframe|object|embed|style|link|meta|base|video|audio)$/i.test(element.localName))
        bad.push(element.outerHTML);
      for (const { name, value } of element.attributes) {
        if (/^(?:on|src|srcdoc|action|formaction|xlink|background|poster|style$)/i.test(name) && name !== 'style')
          bad.push(name);
        if (name === 'href' && !/^(?:https?:\/\/|mailto:|tel:)/i.test(value)) bad.push(`${name}=${value}`);
      }
    }
    for (const element of root.querySelectorAll('section *'))
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    await pause();
    opened.destroy();
    host.remove();
    return bad;
  }, text);
}

test('no script runs, no attribute or scheme escapes, nothing is fetched and nobody is led away', async () => {
  const page = await browser.newPage();
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const faults: string[] = [];
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('popup', (popup) => faults.push(`popup: ${popup.url()}`));
  page.on('framenavigated', (frame) => {
    if (frame.url() !== address) faults.push(`led to ${frame.url()}`);
  });
  page.on('request', (request) => {
    if (
      ![address, `${address}boot.js`, 'data:,'].includes(request.url()) &&
      !request.url().startsWith(`${server.base}/embed/`)
    )
      faults.push(`fetched ${request.url()}`);
  });
  await page.exposeFunction('docentTestReport', (report: string) => void faults.push(report));
  await page.addInitScript(() => {
    const told = globalThis as unknown as { docentTestReport(report: string): void };
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      told.docentTestReport(`${violatedDirective} ${blockedURI}`),
    );
  });
  await page.goto(address);
  await page.waitForFunction(() => 'openPanel' in globalThis);
  for (const text of strings) {
    expect(await shown(page, text), text).toEqual([]);
    expect(faults, text).toEqual([]);
  }
  await page.close();
}, 240_000);
