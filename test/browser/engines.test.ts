import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { startBuiltServer, until, type BuiltServer } from './built-server.ts';
import { Chat } from './engines/chat.ts';
import { KEYS, type Driver } from './engines/driver.ts';
import { findEngines } from './engines/find-engines.ts';
import { range, wordAnswer } from './visitor.ts';

/** A visitor's whole way in each engine that is installed: `REQUIRE_ENGINES=1` fails where one is not. */

const [WIDE, HIGH] = [1000, 800];
const [PHONE_WIDTH, PHONE_HEIGHT] = [390, 700];

let model: FakeModel;
let server: BuiltServer;
let snippet: string;
const sites: Server[] = [];
const question = demoSite.sampleQuestion;

beforeAll(async () => {
  model = await startFakeModel({ json: { pieces: ['{"tags":[]}'] } });
  server = await startBuiltServer({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'any' });
  // More questions than a visitor may ask.
  const reply = await fetch(`${server.base}/api/v1/chatbot/${await server.chatbot()}/update`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: '{"rate_limit":[100,1]}',
  });
  expect(reply.status).toBe(200);
  snippet = `<script async src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
}, 120_000);

afterAll(async () => {
  await server?.stop();
  await model?.close();
});

afterEach(() => {
  for (const site of sites.splice(0)) site.close();
});

/** Serves a page of a strict policy; returns its address, a new origin. */
async function page(body: string, attributes = 'lang="en"'): Promise<string> {
  const html = `<!doctype html><html ${attributes}><meta charset="utf-8"><link rel="icon" href="data:,"><title>Page</title><body>${body}`;
  const policy = `default-src 'none'; script-src ${server.base}; connect-src ${server.base}; img-src data:; style-src-attr 'unsafe-inline'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`;
  const site = createServer(({ url }, response) => {
    const frame = url === '/sandboxed' ? 'sandbox="allow-scripts"' : '';
    const isFramed = frame || url === '/framed';
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
    response.end(
      isFramed
        ? `<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe title="Phone" ${frame} src="/" style="border:0;width:${PHONE_WIDTH}px;height:${PHONE_HEIGHT}px"></iframe>`
        : html,
    );
  });
  sites.push(site);
  await once(site.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

/** Serves a page with the component as an element, and the files it imports; returns its address, a new origin. */
async function elementPage(): Promise<string> {
  const imports = {
    preact: '/node_modules/preact/dist/preact.mjs',
    'preact/hooks': '/node_modules/preact/hooks/dist/hooks.mjs',
    '@preact/signals': '/node_modules/@preact/signals/dist/signals.mjs',
    '@preact/signals-core': '/node_modules/@preact/signals-core/dist/signals-core.mjs',
  };
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Page</title>
<script type="importmap">${JSON.stringify({ imports })}</script>
<docent-chat server="${server.base}" chatbot="${await server.chatbot()}"></docent-chat>
<script type="module">import { defineElement } from '/dist/component/index.js'; await defineElement();</script>`;
  const site = createServer(({ url = '' }, response) => {
    const isFile = /^\/(?:dist\/component|node_modules\/@?preact)\/[\w./@-]+\.m?js$/.test(url) && !url.includes('..');
    response.writeHead(200, { 'Content-Type': isFile ? 'text/javascript' : 'text/html; charset=utf-8' });
    response.end(isFile ? readFileSync(`.${url}`) : html);
  });
  sites.push(site);
  await once(site.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

const wordsIn = (text: string): number[] => Array.from(text.matchAll(/word(\d+)/g), ([, number]) => Number(number));

for (const { name, start, isOptional } of findEngines()) {
  if (!start && (isOptional || process.env['REQUIRE_ENGINES'] !== '1')) {
    test.skip(`${name} is not installed: its tests are left out`, () => {});
    continue;
  }
  describe(name, () => {
    let driver: Driver;
    let chat: Chat;

    beforeAll(async () => {
      if (!start) throw new Error(`REQUIRE_ENGINES=1, but ${name} is not installed`);
      driver = await start();
      chat = new Chat(driver);
      await driver.resize(WIDE, HIGH);
    }, 120_000);

    afterAll(() => driver?.close());

    async function visit(url: string): Promise<void> {
      await driver.goto(url);
      await chat.see('button', 'Open chat');
    }

    test('a visitor reads an answer as it comes, opens its source, copies and rates it', async () => {
      await visit(await page(snippet));
      await chat.open();
      model.next(wordAnswer(120, 5));
      await chat.ask(question);
      await chat.see('group', 'Answer', ({ text }) => wordsIn(text).length > 5);
      expect(wordsIn(await chat.answer())).toEqual(range(120));
      await chat.press('button', 'Source 1');
      expect((await chat.see('dialog', 'Source 1')).text).toMatch(/return label/);
      await driver.type(KEYS.Escape);
      await expect.poll(() => chat.find('dialog', 'Source 1')).toBeUndefined();
      await chat.press('button', 'Copy with sources');
      await chat.see('status', 'Copied');
      await chat.press('button', 'Helpful');
      await chat.see('button', 'Helpful', ({ isPressed }) => isPressed);
    });

    test('an answer goes on after a reload in its middle, and in a second tab', async () => {
      const url = await page(snippet);
      await visit(url);
      await chat.open();
      model.next(wordAnswer(600, 10));
      await chat.ask(question);
      await chat.see('group', 'Answer', ({ text }) => wordsIn(text).length > 20);
      await driver.goto(url);
      // Open stays open.
      await chat.see('textbox', 'Your question');
      const seen = wordsIn((await chat.see('group', 'Answer')).text).length;
      expect(seen).toBeLessThan(600);
      await driver.openTab();
      await visit(url);
      await chat.open();
      expect(wordsIn(await chat.answer())).toEqual(range(600));
      await driver.toTab(0);
      expect(wordsIn(await chat.answer())).toEqual(range(600));
    });

    test('keys alone open the chat, ask, and close it', async () => {
      await visit(await page(snippet));
      await driver.run(() => ((document.body.tabIndex = 0), document.body.focus()));
      await driver.type(KEYS.Tab);
      await chat.see('button', 'Open chat', ({ hasFocus }) => hasFocus);
      await driver.type(KEYS.Enter);
      await chat.see('textbox', 'Your question', ({ hasFocus }) => hasFocus);
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
      await driver.type(KEYS.Escape);
      await chat.see('button', 'Open chat', ({ hasFocus }) => hasFocus);
    });

    test('a chat in the page’s own flow answers, dark and from right to left', async () => {
      const dark = snippet.replace(' data-', ' data-scheme="dark" data-inline="#chat" data-');
      await driver.goto(await page(`<div id="chat" style="height:500px"></div>${dark}`, 'lang="ar" dir="rtl"'));
      const { x, y } = await chat.see('textbox', '');
      await driver.click(x, y);
      await chat.see('textbox', '', ({ hasFocus }) => hasFocus);
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      await chat.see('log', '', ({ text }) => wordsIn(text).length === 20);
      const looks = await driver.run(() => {
        const root = document.querySelector('docent-widget')!.shadowRoot!;
        const { color, direction } = getComputedStyle(root.querySelector('[role=log]')!);
        return { color, direction, isDark: CSS.supports('color', 'light-dark(lab(from red l a b), red)') };
      });
      const [red = 0] = (looks.color.match(/[\d.]+/g) ?? []).map(Number);
      // Older engines show a light panel in any scheme.
      expect((looks.color.startsWith('rgb') ? red / 255 : red) > 0.7).toBe(looks.isDark);
      expect(looks.direction).toBe('rtl');
    });

    test('in a sandboxed frame, without an origin and storage, a visitor is answered', async () => {
      await driver.goto(`${await page(snippet)}sandboxed`);
      await driver.toFrame(true);
      await chat.open();
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
      await driver.toFrame(false);
    });

    test('a source of the page’s own site opens in its tab, and the chat there', async () => {
      await visit(`${server.base}/demo/`);
      await chat.open();
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
      await chat.press('link', 'Returns');
      await expect.poll(() => driver.run(() => location.pathname)).toMatch(/returns/);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
    });

    test.each([
      ['the owner finds a question by the page that it was asked on', '', 1],
      ['data-page="" sends no page', 'data-page=""', 0],
    ])('%s', async (_, attribute, found) => {
      const address = await page(snippet.replace('data-chatbot', `${attribute} $&`));
      await visit(`${address}help/lamps?order=17#fit`);
      await chat.open();
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      await chat.answer();
      const asked = `${new URL(address).host}/help/lamps`;
      const list = `${server.base}/api/v1/chatbot/${await server.chatbot()}/conversations`;
      const reply = await fetch(`${list}?page=${asked}`, { headers: { Authorization: `Bearer ${server.key}` } });
      expect(await reply.json()).toHaveLength(found);
    });

    test('a page that closes the chat leaves the focus in its own field', async () => {
      await visit(await page(`<input id="own">${snippet}`));
      await chat.open();
      await driver.run(() => document.getElementById('own')!.focus());
      await driver.run(() => (window as unknown as { Docent: { close(): void } }).Docent.close());
      await chat.see('button', 'Open chat');
      expect(await driver.run(() => document.activeElement!.id)).toBe('own');
    });

    test('before consent nothing is stored of a question that the page asks', async () => {
      const set = (consent: string) =>
        fetch(`${server.base}/api/v1/chatbot/${chatbot}/widget`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ consent }),
        });
      const chatbot = await server.chatbot();
      await set('Questions are kept.');
      try {
        await visit(await page(snippet));
        await driver.run(() => (window as unknown as { Docent: { ask(query: string): void } }).Docent.ask('Where?'));
        await chat.see('button', 'I agree');
        expect(await driver.run(() => localStorage.length + sessionStorage.length)).toBe(0);
        await chat.press('button', 'I agree');
        await expect.poll(() => driver.run(() => localStorage.length)).toBe(1);
      } finally {
        await set('');
      }
    });

    test('the element answers', async () => {
      await visit(await elementPage());
      await chat.open();
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
      await chat.press('button', 'Source 1');
      expect((await chat.see('dialog', 'Source 1')).text).toMatch(/return label/);
    });

    test('on a phone the chat fills the window', async () => {
      const url = await page(snippet);
      await driver.goto(`${url}framed`);
      await driver.toFrame(true);
      await chat.open();
      const widths = await driver.run(() => {
        const root = document.querySelector('docent-widget')!.shadowRoot!;
        return [root.querySelector('[role=dialog]')!.getBoundingClientRect().width, innerWidth];
      });
      expect(widths).toEqual([PHONE_WIDTH, PHONE_WIDTH]);
      model.next(wordAnswer(20, 0));
      await chat.ask(question);
      expect(wordsIn(await chat.answer())).toEqual(range(20));
      await driver.toFrame(false);
    });

    test('an owner asks the widget in the playground of the console', async () => {
      await driver.goto(`${server.base}/console/`);
      await driver.run((key) => {
        const headers = { 'Content-Type': 'application/json' };
        void fetch('/console/session', { method: 'POST', headers, body: JSON.stringify({ key }) }).then(() =>
          document.body.setAttribute('data-signed-in', ''),
        );
      }, server.key);
      await until(() => driver.run(() => document.body.hasAttribute('data-signed-in')));
      await driver.goto(`${server.base}/console/chatbot/${await server.chatbot()}/playground`);
      await until(() => driver.run(() => document.querySelector('iframe') !== null));
      await driver.toFrame(true);
      try {
        await chat.press('textbox', 'Your question');
        model.next(wordAnswer(20, 0));
        await chat.ask(question);
        // Without "Copy": in WebKit a sandboxed frame has no clipboard.
        const { text } = await chat.see('group', 'Answer', ({ text }) => wordsIn(text).length >= 20);
        expect(wordsIn(text)).toEqual(range(20));
      } finally {
        await driver.toFrame(false);
      }
    });
  });
}
