import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { API_KEY, start, type Running } from '../../running.ts';
import { launchChromium } from '../chromium.ts';

/** What a hostile page does with the cookie of an owner who is signed in, in a real browser. */

let docent: Running;
let browser: Browser;
let context: BrowserContext;
let hostile: Server;
let chatbot: string;
let port: number;
beforeAll(async () => {
  [docent, browser] = await Promise.all([start(), launchChromium()]);
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Mine' })).body.uuid;
  hostile = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><body>'));
  await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done));
  port = (hostile.address() as AddressInfo).port;
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${docent.base}/bot`);
  const signedIn = await page.evaluate(async (key) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch('/console/session', { method: 'POST', headers, body: JSON.stringify({ key }) });
    return { status: reply.status, cookie: document.cookie };
  }, API_KEY);
  expect(signedIn).toEqual({ status: 200, cookie: '' });
});
afterAll(async () => {
  await browser?.close();
  hostile?.close();
  await docent?.stop();
});
beforeEach(async () => {
  expect(await own('/api/v1/chatbots')).toMatchObject([{ uuid: chatbot, name: 'Mine' }]);
});

/** As the owner's own page reads it, with the cookie alone. */
async function own(path: string): Promise<unknown> {
  const page = await context.newPage();
  await page.goto(`${docent.base}/bot`);
  const body = await page.evaluate(async (asked) => (await fetch(asked)).json() as Promise<unknown>, path);
  await page.close();
  return body;
}

/** Opens the hostile page of this host, acts there, and returns the statuses of what the server was asked. */
async function attack(
  host: string,
  act: (page: Page) => Promise<unknown>,
): Promise<{ result: unknown; statuses: number[] }> {
  const page = await context.newPage();
  const statuses: number[] = [];
  page.on('response', (reply) => {
    if (reply.url().startsWith(docent.base) && reply.request().method() !== 'OPTIONS') statuses.push(reply.status());
  });
  await page.goto(`http://${host}:${port}/`);
  const result = await act(page);
  await page.close();
  return { result, statuses };
}

// Another port is another origin of the same site, to which the cookie is sent though it is SameSite=Strict.
const hosts: [host: string, refused: number][] = [
  ['127.0.0.1', 403],
  ['localhost', 401],
];

it.each(hosts)('changes nothing by fetch from %s', async (host, refused) => {
  const { result, statuses } = await attack(host, (page) =>
    page.evaluate(
      async ([base, uuid]) => {
        const outcomes: string[] = [];
        const ask = (path: string, init: RequestInit) =>
          fetch(`${base}${path}`, { credentials: 'include', ...init }).then(
            ({ type }) => outcomes.push(type),
            () => outcomes.push('failed'),
          );
        const body = '{"name":"Taken"}';
        await ask(`/api/v1/chatbot/${uuid}/update`, { method: 'POST', mode: 'no-cors', body });
        await ask('/api/v1/chatbot/create', { method: 'POST', mode: 'no-cors', body });
        await ask(`/api/v1/chatbot/${uuid}/update`, { method: 'POST', body });
        await ask(`/api/v1/chatbot/${uuid}/delete`, { method: 'DELETE' });
        return outcomes;
      },
      [docent.base, chatbot],
    ),
  );
  expect(result).toEqual(['opaque', 'opaque', 'failed', 'failed']);
  // Of the others the browser gives away nothing.
  expect(statuses).toEqual([refused, refused]);
});

it.each(hosts)('reads nothing from %s, by fetch, script, image or frame', async (host) => {
  const { result } = await attack(host, (page) =>
    page.evaluate(async (base) => {
      const outcomes: string[] = [];
      for (const path of ['/api/v1/chatbots', '/api/v1/user', '/console/session', '/console/sessions']) {
        const ask = (init: RequestInit) =>
          fetch(`${base}${path}`, init).then(
            async (reply) => outcomes.push(`${reply.status} ${(await reply.text()).includes('uuid')}`),
            () => outcomes.push('failed'),
          );
        await ask({ credentials: 'include' });
        await ask({ credentials: 'include', mode: 'no-cors' });
        for (const tag of ['script', 'img'] as const) {
          const element = document.createElement(tag);
          const loaded = new Promise((done) => {
            element.onload = () => done('loaded');
            element.onerror = () => done('failed');
          });
          element.src = `${base}${path}`;
          document.body.append(element);
          outcomes.push(String(await loaded));
        }
        const frame = document.createElement('iframe');
        const framed = new Promise((done) => (frame.onload = done));
        frame.src = `${base}${path}`;
        document.body.append(frame);
        await framed;
        outcomes.push(frame.contentDocument === null ? 'closed' : 'open');
      }
      return outcomes;
    }, docent.base),
  );
  const ofApi = ['failed', '0 false', 'failed', 'failed', 'closed'];
  // Cross-Origin-Resource-Policy keeps even the opaque reply from other sites.
  const ofConsole = ['failed', 'failed', 'failed', 'failed', 'closed'];
  expect(result).toEqual([...ofApi, ...ofApi, ...ofConsole, ...ofConsole]);
});

it.each(hosts)('changes nothing by a form from %s, and signs nobody in or out', async (host, refused) => {
  const before = await own('/console/sessions');
  const targets = [`/api/v1/chatbot/${chatbot}/update`, `/api/v1/chatbot/create`, '/console/session'];
  for (const target of targets) {
    const { result, statuses } = await attack(host, async (page) => {
      await page.evaluate(
        ([action, name]) => {
          const form = document.createElement('form');
          Object.assign(form, { method: 'post', action, enctype: 'text/plain' });
          const field = document.createElement('input');
          Object.assign(field, { name, value: '"}' });
          form.append(field);
          document.body.append(form);
          form.submit();
        },
        [
          `${docent.base}${target}`,
          target === '/console/session' ? `{"key":"${API_KEY}","a":"` : '{"name":"Taken","a":"',
        ],
      );
      await page.waitForURL(`${docent.base}${target}`);
      return page.textContent('body');
    });
    const isSignIn = target === '/console/session';
    expect(statuses.slice(0, 1)).toEqual([isSignIn ? 403 : refused]);
    expect(result).toContain('"error"');
  }
  expect(await own('/console/sessions')).toMatchObject((before as { uuid: string }[]).map(({ uuid }) => ({ uuid })));
});

it('shows nothing where it leads the owner to an address, and does where the owner types it', async () => {
  const { result } = await attack('127.0.0.1', async (page) => {
    await page.evaluate((address) => void (location.href = address), `${docent.base}/console/sessions`);
    await page.waitForURL(`${docent.base}/console/sessions`);
    return page.textContent('body');
  });
  expect(result).toContain('you are not signed in');
  const page = await context.newPage();
  const typed = await page.goto(`${docent.base}/console/sessions`);
  expect(typed?.status()).toBe(200);
  await page.close();
});
