import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';
import { answers, askQuestion, openChat } from './visitor.ts';

/** Markup from strangers, on a page that keeps scripts out of it: elements whose names stand for what a script reads. */

let server: BuiltServer;
let browser: Browser;
let chatbot: string;
/** Answers whatever it is asked with a script that gives itself away, and notes what it was asked. */
let evil: Server;
let evilBase: string;
const stolen: string[] = [];
const pages: Page[] = [];
const sites: Server[] = [];

const listening = async (site: Server): Promise<string> => {
  await once(site.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  chatbot = await server.chatbot();
  const reply = await fetch(`${server.base}/api/v1/chatbot/${chatbot}/update`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: '{"rate_limit":[100,1]}',
  });
  expect(reply.status).toBe(200);
  evil = createServer(({ url = '' }, response) => {
    stolen.push(url);
    const headers = { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' };
    response.writeHead(200, headers).end('globalThis.isStolen = true; export const openPanel = () => undefined;');
  });
  evilBase = await listening(evil);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  evil?.close();
});

afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  for (const site of sites.splice(0)) site.close();
  stolen.length = 0;
});

const STRICT = "script-src 'nonce-n0nce' 'strict-dynamic'; object-src 'none'; base-uri 'none'";

interface Attack {
  markup: string;
  /** More attributes of the real tag. */
  tag?: string;
  policy?: string;
}

async function visit({ markup, tag = 'async', policy }: Attack): Promise<Page> {
  const real = `<script ${tag} nonce="n0nce" src="${server.base}/embed.js" data-chatbot="${chatbot}"></script>`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><body>${markup}${real}</body></html>`;
  const site = createServer((_, response) => {
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    response.writeHead(200, policy ? { ...headers, 'Content-Security-Policy': policy } : headers).end(html);
  });
  sites.push(site);
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, reducedMotion: 'reduce' });
  pages.push(page);
  page.setDefaultTimeout(15_000);
  await page.goto(await listening(site));
  return page;
}

/** A visitor is answered by the real chatbot, and nothing came from elsewhere. */
async function works(page: Page): Promise<void> {
  await openChat(page);
  await askQuestion(page, demoSite.sampleQuestion);
  await answers(page).getByText('45 days').first().waitFor();
  expect(stolen.filter((url) => !url.startsWith('/picture'))).toEqual([]);
  expect(await page.evaluate(() => 'isStolen' in globalThis)).toBe(false);
}

const baits = (): [name: string, markup: string][] => [
  [
    'an image named currentScript',
    `<img name="currentScript" src="${evilBase}/picture" data-chatbot="${chatbot}" data-open>`,
  ],
  [
    'two of them, and a form',
    `<img name="currentScript" src="${evilBase}/picture"><img name="currentScript" src="${evilBase}/picture"><form name="currentScript" src="${evilBase}/x" data-chatbot="${chatbot}"></form>`,
  ],
  [
    'a tag of its own that a policy keeps from running',
    `<img name="currentScript" src="${evilBase}/picture"><script data-chatbot="${chatbot}" data-open src="${evilBase}/embed.js"></script>`,
  ],
];

test.each([0, 1, 2])('markup of the page cannot change the panel’s address (%i)', async (which) => {
  const [, markup] = baits()[which]!;
  await works(await visit({ markup, policy: STRICT }));
});

test('markup cannot change the panel’s address where the launcher is a module, without document.currentScript', async () => {
  for (const [, markup] of baits()) await works(await visit({ markup, tag: 'type="module"', policy: STRICT }));
});

test.each([
  [
    'a form named Docent, with fields that are named as calls',
    '<form id="Docent"><input name="destroy"><input name="q"></form>',
  ],
  ['links named Docent', '<a id="Docent" href="#a">a</a><a id="Docent" name="q" href="#b">b</a>'],
  ['a frame named Docent', '<iframe name="Docent" srcdoc="<p>words"></iframe>'],
])('window.Docent works in spite of %s', async (_, markup) => {
  const page = await visit({ markup });
  await page.waitForFunction(
    () => typeof (globalThis as unknown as { Docent?: { ask?: unknown } }).Docent?.ask === 'function',
  );
  await page.evaluate(() => (globalThis as unknown as { Docent: { open(): void } }).Docent.open());
  await page.getByRole('textbox', { name: 'Your question' }).waitFor();
});

test('an element of the page with the widget’s attributes does not replace the widget', async () => {
  await works(
    await visit({
      markup: `<p data-docent="${chatbot}">here</p><docent-widget data-docent="${chatbot}"></docent-widget>`,
    }),
  );
});

/** Members of `document` that the widget or Preact reads, and some beside them. */
const MEMBERS = [
  'activeElement',
  'addEventListener',
  'adoptedStyleSheets',
  'body',
  'createElement',
  'createElementNS',
  'createTextNode',
  'createTreeWalker',
  'currentScript',
  'defaultView',
  'documentElement',
  'execCommand',
  'head',
  'hidden',
  'ownerDocument',
  'prototype',
  'querySelector',
  'querySelectorAll',
  'scripts',
  'title',
];

/** One alone stands for itself, several for a collection, a frame for its window. */
const NAMED: Record<string, (name: string) => string> = {
  'an image': (name) => `<img name="${name}">`,
  'a frame': (name) => `<iframe name="${name}"></iframe>`,
  'all kinds of elements': (name) =>
    `<form name="${name}"><input name="call"></form><embed name="${name}"><object id="${name}"></object><img name="${name}" id="${name}">`,
};

test.each(Object.keys(NAMED).flatMap((kind) => MEMBERS.map((name) => [kind, name] as const)))(
  '%s named %s changes nothing',
  async (kind, name) => {
    const page = await visit({ markup: NAMED[kind]!(name) });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await works(page);
    const panel = page.getByRole('dialog');
    const field = panel.getByRole('textbox', { name: 'Your question' });
    await field.press('Escape');
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    await expect.poll(() => panel.count()).toBe(0);
    // After a pointer the launcher has the focus again, by the element that had it.
    await openChat(page);
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(faults).toEqual([]);
  },
);
