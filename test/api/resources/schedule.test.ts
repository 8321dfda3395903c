import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { site, start, type Running } from '../../running.ts';

/** Pages that are fetched again by themselves; the clock and the timers are ours. */

const HOUR = 3_600_000;

let dir: string;
let docent: Running;
let shop: Awaited<ReturnType<typeof site>>;
/** What the site was asked for, and what its page says. */
let asked: string[];
let text: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-'));
  [asked, text] = [[], 'The museum opens at nine.'];
  const page = (path: string) => (_: unknown, response: ServerResponse) => {
    asked.push(path);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<title>Hours ${path}</title><main><p>${text}</p></main>`);
  };
  shop = await site({ '/a': page('/a'), '/b': page('/b'), '/c': page('/c'), '/slow': () => {} });
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-03-01T12:00:00Z') });
  docent = await open();
});
afterEach(async () => {
  vi.useRealTimers();
  await docent.stop();
  await shop.close();
  await rm(dir, { recursive: true, force: true });
});

const open = () => start({ DATA_DIR: dir, FETCH_ALLOW: shop.host });

/** Turns of the event loop, which no fake clock holds up. */
async function turnsUntil<T>(ask: () => T | Promise<T>, enough: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + 40_000;
  for (;;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (performance.now() > end) throw new Error(`still not so: ${JSON.stringify(answer)}`);
    await new Promise(setImmediate);
  }
}

/** Time passes, and what it started may come as far as it will without any more. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
}

async function chatbot(...paths: string[]): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Museum' })).body;
  for (const path of paths) {
    const url = shop.base + path;
    const { body } = await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url });
    await turnsUntil(
      () => docent.api('GET', `/data-source/${body.uuid}`),
      (reply) => reply.body.status === 'success',
    );
  }
  asked = [];
  return uuid;
}

const schedule = (uuid: string, hours: number) =>
  docent.api('POST', `/chatbot/${uuid}/data-source/schedule`, { hours });
const scheduled = async (uuid: string) => (await docent.api('GET', `/chatbot/${uuid}/data-source/schedule`)).body;
const askedFor = (count: number) =>
  turnsUntil(
    () => asked.toSorted(),
    ({ length }) => length >= count,
  );

describe('the pages of a chatbot', () => {
  it('are not fetched again unless its owner wants it', async () => {
    const uuid = await chatbot('/a');
    expect(await scheduled(uuid)).toEqual({ hours: 0, next_at: '' });
    await pass(400 * 24 * HOUR);
    expect(asked).toEqual([]);
  });

  it('are fetched again every so many hours, and say what they say now', async () => {
    const uuid = await chatbot('/a', '/b');
    expect((await schedule(uuid, 24)).body).toEqual({ hours: 24, next_at: '2026-03-02T12:00:00Z' });
    await pass(24 * HOUR - 1000);
    expect(asked).toEqual([]);
    text = 'The museum is closed until the spring.';
    await pass(60_000);
    expect(await askedFor(2)).toEqual(['/a', '/b']);
    const { hours, next_at } = await scheduled(uuid);
    expect([hours, next_at.slice(0, 15)]).toEqual([24, '2026-03-03T12:0']);
    await turnsUntil(
      () => docent.api('GET', `/chatbot/${uuid}/data-sources`),
      ({ body }) => body.every((source: { status: string }) => source.status === 'success'),
    );
    const session = (await docent.api('POST', `/chatbot/${uuid}/session/create`)).body.uuid;
    const query = { query: 'When does the museum open?' };
    const { body } = await docent.api('POST', `/session/${session}/message/non-stream`, query);
    expect(body.response).toContain('closed until the spring');
    await pass(24 * HOUR);
    expect(await askedFor(4)).toEqual(['/a', '/a', '/b', '/b']);
  });

  it('stay as they are once that is switched off, or the chatbot is gone', async () => {
    const [off, gone] = [await chatbot('/a'), await chatbot('/b')];
    for (const uuid of [off, gone]) await schedule(uuid, 1);
    expect((await schedule(off, 0)).body).toEqual({ hours: 0, next_at: '' });
    await docent.api('DELETE', `/chatbot/${gone}/delete`);
    await pass(5 * HOUR);
    expect(asked).toEqual([]);
    expect(await scheduled(off)).toEqual({ hours: 0, next_at: '' });
  });

  it('are no reason for a question-and-answer source to be learned again, nor for another record', async () => {
    const uuid = await chatbot();
    const qa = { question: 'Is it free?', answer: 'It is free on Sundays.' };
    const made = (await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, qa)).body.uuid;
    const settled = await turnsUntil(
      () => docent.api('GET', `/data-source/${made}`),
      ({ body }) => body.status === 'success',
    );
    const before = (await docent.api('GET', `/chatbot/${uuid}`)).body;
    await schedule(uuid, 1);
    await pass(3 * HOUR);
    expect((await docent.api('GET', `/data-source/${made}`)).body).toEqual(settled.body);
    expect((await docent.api('GET', `/chatbot/${uuid}`)).body).toEqual(before);
  });
});

describe('a site', () => {
  const learned = (uuid: string, site: string) =>
    turnsUntil(
      () => docent.api('GET', `/chatbot/${uuid}/data-source/site/${site}`),
      ({ body }) => body.status !== 'running',
    );

  it('is crawled again, so that its new pages are found', async () => {
    const uuid = await chatbot();
    const { body } = await docent.api('POST', `/chatbot/${uuid}/data-source/site`, { url: `${shop.base}/a` });
    expect((await learned(uuid, body.uuid)).body).toMatchObject({ status: 'done', found: 1 });
    await schedule(uuid, 24);
    [asked, text] = [[], 'The museum is closed, but not <a href="/b">its shop</a>.'];
    await pass(24 * HOUR);
    expect((await askedFor(2)).filter((path) => /^\/[ab]$/.test(path))).toEqual(['/a', '/b']);
    expect((await learned(uuid, body.uuid)).body).toMatchObject({ status: 'done', found: 2, done: 2 });
  });

  it('that its owner stopped is not crawled on, but its pages are fetched again', async () => {
    const uuid = await chatbot();
    text = 'The museum has <a href="/slow">a library</a>.';
    const { body } = await docent.api('POST', `/chatbot/${uuid}/data-source/site`, { url: `${shop.base}/a` });
    await turnsUntil(
      () => docent.api('GET', `/chatbot/${uuid}/data-source/site/${body.uuid}`),
      (reply) => reply.body.done === 1,
    );
    await docent.api('POST', `/chatbot/${uuid}/data-source/site/${body.uuid}/stop`);
    await schedule(uuid, 24);
    [asked, text] = [[], 'The museum has <a href="/b">a shop</a>.'];
    await pass(24 * HOUR);
    await askedFor(1);
    await pass(60_000);
    expect(asked).toEqual(['/a']);
  });
});

describe('after a restart', () => {
  const restart = async (act = () => {}): Promise<void> => {
    await docent.stop();
    act();
    docent = await open();
  };

  it('the schedule goes on', async () => {
    const uuid = await chatbot('/a');
    await schedule(uuid, 10);
    await pass(4 * HOUR);
    await restart();
    expect(await scheduled(uuid)).toEqual({ hours: 10, next_at: '2026-03-01T22:00:00Z' });
    await pass(5 * HOUR);
    expect(asked).toEqual([]);
    await pass(HOUR);
    expect(await askedFor(1)).toEqual(['/a']);
  });

  it('what came due meanwhile begins soon, not at once, and one chatbot after another', async () => {
    const chatbots = [await chatbot('/a'), await chatbot('/b'), await chatbot('/c')];
    for (const uuid of chatbots) await schedule(uuid, 1);
    await restart(() => vi.setSystemTime(Date.parse('2026-03-20T12:00:00Z')));
    await pass(25_000);
    expect(asked).toEqual([]);
    await pass(10_000);
    expect(await askedFor(1)).toHaveLength(1);
    await pass(10_000);
    expect(await askedFor(2)).toHaveLength(2);
    await pass(10_000);
    expect(await askedFor(3)).toEqual(['/a', '/b', '/c']);
    for (const uuid of chatbots) expect((await scheduled(uuid)).next_at).toMatch(/^2026-03-20T13:0/);
  });
});
