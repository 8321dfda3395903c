import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FinishReason } from '../../server/types.ts';
import type { openPanel } from '../../widget/panel.tsx';
import { sharedData } from '../shared.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';

/** Renders XSS strings wherever the widget shows a value of an owner, a visitor or a model. */

const basicAttacks = [
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
const attacks = [...basicAttacks, ...(path ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [])];

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

/** Renders the string in all fields of a conversation and returns the elements and attributes that could run, load or navigate. */
async function findingsFor(page: Page, text: string): Promise<string[]> {
  return page.evaluate(async (text) => {
    const panel = globalThis as unknown as { openPanel: typeof openPanel };
    const host = document.body.appendChild(document.createElement('div'));
    const root = host.attachShadow({ mode: 'open' });
    const message = {
      uuid: 'm1',
      query: text,
      response: `${text}\n\n${text} [1] [2]`,
      finish_reason: 'stop' as FinishReason,
      cite_data_json: JSON.stringify({
        1: { data_source_uuid: text, title: text, text, file_name: text, type: text },
        2: { data_source_uuid: 'a', title: text, text, file_name: `https://shop.test/${text}`, type: 'link' },
      }),
      feedback_json: '{}',
      created_at: text,
      modified_at: text,
    };
    const chatbot = { uuid: 'c', name: text, show_citations: true, greeting: text, suggestions: [text, text] };
    const settings = { theme: { color: text }, words: { field: text, sources: text }, title: text, label: text };
    const links = {
      avatar: '',
      icon: text,
      privacy_url: text,
      contact: text,
      disclaimer: text,
      image_hosts: [],
      language: text,
    };
    const events: [name: string, data: object][] = [
      ['session', { uuid: 's1' }],
      ['message', { uuid: 'm1' }],
      ['delta', { text: message.response }],
      ['done', message],
    ];
    // The names of the widget's own client are shortened when it is built: the replies come as the server's.
    globalThis.fetch = async (url) => {
      if (String(url).endsWith('/ask')) {
        const stream = events.map(([name, data], id) => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
        return new Response(stream.join(''), { headers: { 'Content-Type': 'text/event-stream' } });
      }
      return Response.json(String(url).endsWith('/messages') ? [] : { ...chatbot, ...settings, ...links });
    };
    localStorage.clear();
    sessionStorage.clear();
    const bad: string[] = [];
    const pause = (): Promise<unknown> => new Promise((done) => setTimeout(done, 0));
    const twoFrames = async (): Promise<void> => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    };
    const drawn = async (selector: string): Promise<void> => {
      for (const end = Date.now() + 20_000; !root.querySelector(selector); await pause())
        if (Date.now() > end) return void bad.push(`${selector} is not drawn`);
    };
    const opened = panel.openPanel(root, { server: 'http://docent.test', chatbot: 'c' });
    opened.chat.open();
    await drawn('.welcome');
    opened.chat.ask(text);
    await drawn('.sources');
    await twoFrames();
    // A string that opens a code block makes the marker part of the code.
    const marker = root.querySelector<HTMLElement>('button.marker');
    marker?.click();
    if (marker) await drawn('.card');
    for (const element of root.querySelectorAll('*')) {
      if (/^(?:script|img|iframe|object|embed|style|link|meta|base|video|audio)$/i.test(element.localName))
        bad.push(element.outerHTML);
      for (const { name, value } of element.attributes) {
        if (/^(?:on|src|srcdoc|action|formaction|xlink|background|poster)/i.test(name)) bad.push(name);
        if (name === 'href' && !/^(?:https?:\/\/|mailto:|tel:)/i.test(value)) bad.push(`${name}=${value}`);
      }
    }
    for (const element of root.querySelectorAll('section *'))
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    // What the string loads or runs is reported before the next string is rendered.
    await twoFrames();
    opened.destroy();
    host.remove();
    return bad;
  }, text);
}

test('XSS strings run no script, set no attribute, fetch nothing and navigate nowhere', async () => {
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
    if (frame.url() !== address) faults.push(`navigated to ${frame.url()}`);
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
    const page = globalThis as unknown as { docentTestReport(report: string): void };
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      page.docentTestReport(`${violatedDirective} ${blockedURI}`),
    );
  });
  await page.goto(address);
  await page.waitForFunction(() => 'openPanel' in globalThis);
  for (const text of attacks) {
    expect(await findingsFor(page, text), text).toEqual([]);
    expect(faults, text).toEqual([]);
  }
  await page.close();
}, 240_000);
