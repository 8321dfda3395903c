import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { start, until, type Running } from '../../running.ts';
import { databaseOf } from '../../engine/engine.ts';

/** Figures are what a plain count of the stored messages gives. */

interface Told {
  session: string;
  message: string;
}
type Sums = Record<string, number>;

const NONE: Sums = { asked: 0, answered: 0, unsure: 0, unknown: 0, handed_over: 0, rated_up: 0, rated_down: 0 };
const TODAY_NONE: Sums = { ...NONE, refused: 0 };
const [FERRY, LLAMA] = ['When does the last ferry leave?', 'Do you sell llamas in pink?'];

describe('the figures of a chatbot', () => {
  let docent: Running;
  let env: NodeJS.ProcessEnv;
  let chatbot: string;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-31T23:30:00Z') });
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-figures-'));
    env = { DATA_DIR, DATABASE_URL: await databaseOf(DATA_DIR) };
    docent = await start(env);
    const made = { name: 'Ferries', visibility: 'public', show_citations: true, rate_limit: [100, 1] };
    chatbot = (await docent.api('POST', '/chatbot/create', made)).body.uuid;
    const person = { human_escalation_settings: { human_requested_message: 'Somebody comes.' }, bias: -10 };
    const kind = { name: 'Person', type: 'human-escalation' };
    const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/agent/create`, { ...kind, ...person })).body;
    await docent.api('POST', `/agent/${uuid}/update`, { enabled: true, ...person });
    const answer = 'The last ferry leaves at ten to nine.';
    await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: FERRY, answer });
    await until(
      async () => (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body,
      ([source]) => source.status === 'success',
    );
  });
  afterEach(async () => {
    vi.useRealTimers();
    await docent.stop();
    await rm(env['DATA_DIR']!, { recursive: true, force: true });
  });

  async function ask(query: string, body: object = {}): Promise<Told> {
    const reply = await fetch(`${docent.base}/chat/${chatbot}/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, ...body }),
    });
    const text = await reply.text();
    expect(text).toContain('event: done');
    const uuidIn = (event: string): string =>
      new RegExp(`event: ${event}\ndata: {"uuid":"(\\w+)"`).exec(text)?.[1] ?? '';
    return { session: uuidIn('session') || String((body as { session?: string }).session), message: uuidIn('message') };
  }
  async function rate({ session, message }: Told, rating: 1 | -1): Promise<void> {
    const path = `/chat/${chatbot}/session/${session}/message/${message}/feedback`;
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(docent.base + path, { method: 'POST', headers, body: JSON.stringify({ rating }) });
    expect(reply.status).toBe(200);
  }
  const on = (page: string) => ({ variables: { page } });
  const analytics = async (search = '?from=2026-01-01') =>
    (await docent.api('GET', `/chatbot/${chatbot}/analytics${search}`)).body;

  /** By day, agent and page, of all that is stored. */
  async function plainCount(): Promise<Record<'days' | 'agents' | 'pages', Record<string, Sums>>> {
    const counted = { days: {}, agents: {}, pages: {} } as Awaited<ReturnType<typeof plainCount>>;
    for (const { uuid: id } of (await docent.api('GET', `/chatbot/${chatbot}/sessions`)).body) {
      const { meta: state } = (await docent.api('GET', `/session/${id}`)).body;
      const messages = (await docent.api('GET', `/session/${id}/messages`)).body;
      let isRequested = state.live?.state === 'requested';
      for (const { meta_json, feedback_json, created_at } of messages) {
        const meta = JSON.parse(meta_json);
        const { rating } = JSON.parse(feedback_json);
        const isLast = !messages.some((other: { uuid: string }) => other.uuid === meta.replaced_by);
        const adds: Sums = { ...NONE };
        if (isLast) Object.assign(adds, { asked: 1, [meta.outcome]: 1 });
        if (rating) adds[rating > 0 ? 'rated_up' : 'rated_down'] = 1;
        if (isRequested && meta.active_agent.name === 'Person') [adds['handed_over'], isRequested] = [1, false];
        for (const [by, name] of [
          ['days', created_at.slice(0, 10)],
          ['agents', meta.active_agent.name],
          ['pages', meta.page ?? ''],
        ] as const) {
          const sums = (counted[by][name] ??= { ...NONE });
          for (const figure of Object.keys(NONE)) sums[figure]! += adds[figure]!;
        }
      }
    }
    return counted;
  }
  const byName = (rows: Record<string, unknown>[], name: string): Record<string, Sums> =>
    Object.fromEntries(
      rows.map((row) => [row[name], Object.fromEntries(Object.keys(NONE).map((key) => [key, row[key]]))]),
    ) as Record<string, Sums>;

  it('are a plain count, over a restart, retention and deletion, and gone with the chatbot', async () => {
    const first = await ask(FERRY, on('https://ferries.example/times?x=1'));
    await ask(LLAMA, { session: first.session, ...on('https://ferries.example/shop') });
    // The same request again, and the answer read again, count nothing.
    for (let again = 0; again < 3; again++) await ask(FERRY, { id: 'one-and-the-same-question' });
    const resumed = `${docent.base}/chat/${chatbot}/session/${first.session}/message/${first.message}`;
    await (await fetch(`${resumed}/stream`)).text();
    await rate(first, 1);
    for (const rating of [1, -1, -1] as const) await rate(first, rating);
    const unknown = await ask(LLAMA);
    const regenerated = await ask(FERRY, { session: unknown.session, replaces: unknown.message });
    expect(regenerated.message).not.toBe(unknown.message);
    await rate(regenerated, 1);
    vi.setSystemTime(Date.parse('2026-02-01T00:10:00Z'));
    const wish = await ask('I want to talk to a human being please');
    await ask('Let me talk to a human please', { session: wish.session });
    for (let more = 0; more < 5; more++) await ask(more % 2 ? FERRY : LLAMA, on(`https://ferries.example/${more}`));
    await ask('Wann fährt die letzte Fähre heute Abend?');
    const counted = await plainCount();
    expect(counted.days['2026-01-31']).toMatchObject({ asked: 4, answered: 3, unknown: 1, rated_up: 1, rated_down: 1 });
    expect(counted.days['2026-02-01']).toMatchObject({ asked: 8, handed_over: 1 });

    const told = await analytics();
    expect(byName(told.days, 'day')).toEqual(counted.days);
    expect(byName(told.agents, 'name')).toEqual(counted.agents);
    expect(byName(told.pages, 'page')).toEqual(counted.pages);
    expect(told.languages.find(({ language }: { language: string }) => language === 'de')?.asked).toBe(1);
    const ofLanguages = told.languages.reduce((sum: number, { asked }: Sums) => sum + asked!, 0);
    expect([told.asked, ofLanguages, told.credits]).toEqual([12, 12, 0]);
    const { asked, days } = await analytics('?from=2026-01-01&to=2026-01-31');
    expect([asked, days.length]).toEqual([4, 1]);
    const [source] = (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body;
    const cited = (await docent.api('GET', `/chatbot/${chatbot}/data-sources/cited`)).body;
    expect(cited).toEqual([{ data_source: source.uuid, answers: 5, last_cited_at: '2026-02-01T00:10:00Z' }]);
    const neverCited = async () =>
      (await docent.api('GET', `/chatbot/${chatbot}/data-sources?state=never_cited&limit=2`)).body;
    expect(await neverCited()).toEqual([]);
    const pair = { question: 'Are dogs allowed?', answer: 'Dogs travel on the car deck.' };
    const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair)).body;
    expect(await neverCited()).toMatchObject([{ uuid }]);
    await docent.api('POST', `/data-source/${uuid}/delete`);

    await docent.stop();
    docent = await start(env);
    expect(await analytics()).toEqual(told);
    await docent.api('POST', `/session/${first.session}/delete`);
    vi.setSystemTime(Date.parse('2026-02-20T00:00:00Z'));
    const quiet = { out: () => {}, err: () => {} };
    expect(await runCommand(['chatbot', 'update', chatbot, '--keep-days', '1'], env, quiet)).toBe(0);
    expect((await docent.api('GET', `/chatbot/${chatbot}/sessions`)).body).toEqual([]);
    expect(await analytics('?from=2026-01-01&to=2026-02-01')).toEqual(told);
    expect((await analytics()).days).toEqual(told.days);

    await docent.api('DELETE', `/chatbot/${chatbot}/delete`);
    expect((await docent.api('GET', `/chatbot/${chatbot}/analytics`)).status).toBe(404);
  });

  it('count the questions that the rate limit refuses, by their day and by nothing else, over a restart', async () => {
    await docent.api('POST', `/chatbot/${chatbot}/update`, { rate_limit: [1, 60] });
    vi.setSystemTime(Date.parse('2026-01-31T23:59:50Z'));
    await ask(FERRY);
    const refuse = async (bot: string) => {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ query: LLAMA });
      return (await fetch(`${docent.base}/chat/${bot}/ask`, { method: 'POST', headers, body })).status;
    };
    for (let request = 0; request < 7; request++) expect(await refuse(chatbot)).toBe(429);
    expect(await refuse('e'.repeat(32))).toBe(404);
    vi.setSystemTime(Date.parse('2026-02-01T00:00:30Z'));
    expect(await refuse(chatbot)).toBe(429);
    const told = await analytics();
    expect(told).toMatchObject({ asked: 1, refused: 8 });
    expect(told.days).toMatchObject([
      { day: '2026-01-31', asked: 1, refused: 7 },
      { day: '2026-02-01', asked: 0, refused: 1 },
    ]);
    for (const rows of [told.agents, told.pages, told.languages]) {
      expect(rows).toHaveLength(1);
      expect(rows[0]).not.toHaveProperty('refused');
    }
    await docent.stop();
    docent = await start(env);
    expect(await analytics()).toEqual(told);
  });

  it('have no questions of a dry run and of a trace', async () => {
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, { dry_run: true })).body.uuid;
    await docent.api('POST', `/session/${session}/message/non-stream`, { query: FERRY });
    await docent.api('POST', `/session/${session}/message/trace`, { query: FERRY });
    expect(await analytics()).toMatchObject({ ...TODAY_NONE, agents: [], pages: [] });
    expect((await docent.api('GET', `/chatbot/${chatbot}/data-sources/cited`)).body).toEqual([]);
  });
});

it('refuses days that are none, and more than a year', async () => {
  const docent = await start();
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Ferries' })).body;
  for (const [search, field] of [
    ['?from=2026-02-30', 'from'],
    ['?to=yesterday', 'to'],
    ['?to=2026-01-01&to=2026-01-02', 'to'],
    ['?from=2026-02-01&to=2026-01-01', 'from'],
    ['?from=2025-01-01&to=2026-01-02', 'from'],
  ])
    expect((await docent.api('GET', `/chatbot/${uuid}/analytics${search}`)).body).toMatchObject({ field });
  await docent.stop();
});
