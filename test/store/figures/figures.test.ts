import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../../server/health/health.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { MAX_PAGES, type Figures } from '../../../server/store/shared/figures.ts';
import type { Store } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { lowdbFolder } from '../lowdb-fixture.ts';
import { postgresSchema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';
import { aChatbot, aSource } from '../records.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** One question that nothing answered. */
const ONE = {
  by: '' as const,
  name: '',
  asked: 1,
  answered: 0,
  unsure: 0,
  unknown: 1,
  handed_over: 0,
  rated_up: 0,
  rated_down: 0,
  refused: 0,
};

const engines: [string, () => Promise<StoreFixture>][] = [['lowdb', lowdbFolder()]];
if (server) engines.push(['postgres', postgresSchema(server.url)]);

describe.each(engines)('%s: figures', (_, createFixture) => {
  let fixture: StoreFixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await createFixture();
    store = await fixture.open();
  });
  afterEach(async () => {
    await store.close();
    await fixture.clear();
  });
  const reopen = async () => {
    await store.close();
    store = await fixture.open();
  };
  const withChatbot = async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    return chatbot.uuid;
  };
  const of = (chatbot: string, day: string, more: Partial<Figures> = {}): Figures => ({
    ...ONE,
    chatbot,
    day,
    ...more,
  });
  const always = (chatbot: string) => store.figures(chatbot, '0000-01-01', '9999-12-31');

  it('are summed by day and what they are by, over months and restarts, of one chatbot', async () => {
    const [chatbot, other] = [await withChatbot(), await withChatbot()];
    const named = [
      of(chatbot, '2026-02-01', { by: 'agent', name: 'f'.repeat(32) }),
      of(chatbot, '2026-02-01', { by: 'page', name: '' }),
      of(chatbot, '2026-02-01', { by: 'page', name: "shop.example/'; drop table figures; --" }),
      of(chatbot, '2026-02-01', { by: 'language', name: 'de' }),
    ];
    const [first, last] = [of(chatbot, '2026-01-31'), of(chatbot, '2026-02-01')];
    const rated = of(chatbot, '2026-02-01', { asked: 0, unknown: 0, rated_down: 1 });
    await Promise.all([
      store.addFigures([named[3]!, last, first, named[1]!], {}),
      store.addFigures([named[2]!, named[0]!, last, of(other, '2026-02-01')], {}),
    ]);
    await store.addFigures([rated, { ...rated, rated_down: -1, rated_up: 1 }], {});
    const sum = { ...last, asked: 2, unknown: 2, rated_up: 1, rated_down: 0 };
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await always(chatbot)).toEqual([first, sum, ...named]);
      expect(await store.figures(chatbot, '2026-01-31', '2026-01-31')).toEqual([first]);
      expect(await store.figures(chatbot, '2026-02-01', '2026-02-01')).toEqual([sum, ...named]);
      expect(await always(other)).toEqual([of(other, '2026-02-01')]);
    }
  });

  it('keep the names of the pages with the most questions, however many pages visitors name', async () => {
    const chatbot = await withChatbot();
    const page = (name: string, asked = 1) => of(chatbot, '2026-02-01', { by: 'page', name, asked, unknown: 0 });
    await store.addFigures([page('shop.example/pricing', 9), page('', 2)], {});
    for (let batch = 0; batch < 5; batch++)
      await store.addFigures(
        Array.from({ length: MAX_PAGES }, (_, n) => page(`shop.example/${batch}/${n}`)),
        {},
      );
    const rows = await always(chatbot);
    expect(rows.length).toBeLessThanOrEqual(2 * MAX_PAGES + 1);
    expect(rows.length).toBeGreaterThan(MAX_PAGES);
    expect(rows.reduce((sum, { asked }) => sum + asked, 0)).toBe(9 + 2 + 5 * MAX_PAGES);
    expect(rows.find(({ name }) => name === 'shop.example/pricing')?.asked).toBe(9);
  });

  it('count what was refused, and none where an earlier version has stored them', async () => {
    const chatbot = await withChatbot();
    const { refused: _, ...early } = of(chatbot, '2026-02-01');
    await store.addFigures([early as Figures], {});
    expect(await always(chatbot)).toEqual([of(chatbot, '2026-02-01')]);
    const refused = of(chatbot, '2026-02-01', { asked: 0, unknown: 0, refused: 40 });
    await store.addFigures([refused, early as Figures], {});
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await always(chatbot)).toEqual([of(chatbot, '2026-02-01', { asked: 2, unknown: 2, refused: 40 })]);
    }
  });

  it('say how often each source was cited and when last, until it is deleted', async () => {
    const chatbot = await withChatbot();
    const [page, file] = [aSource(chatbot), aSource(chatbot)].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    for (const one of [page!, file!]) await store.createSource(one);
    const at = (hour: number) => `2026-02-01T0${hour}:00:00Z`;
    const cited = (source: string, hour: number, answers = 1) => ({ source, answers, last_at: at(hour) });
    await store.addFigures([], { [chatbot]: [cited(page!.uuid, 3), cited(file!.uuid, 1, 2), cited(newUuid(), 1)] });
    await store.addFigures([], { [chatbot]: [cited(page!.uuid, 2)] });
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await store.cited(chatbot)).toEqual([cited(page!.uuid, 3, 2), cited(file!.uuid, 1, 2)]);
    }
    await store.deleteSource(page!.uuid);
    expect(await store.cited(chatbot)).toEqual([cited(file!.uuid, 1, 2)]);
  });

  it('are gone with their chatbot, and none are added to one that is gone', async () => {
    const [chatbot, other] = [await withChatbot(), await withChatbot()];
    const source = aSource(chatbot);
    await store.createSource(source);
    const cited = { [chatbot]: [{ source: source.uuid, answers: 1, last_at: '2026-02-01T00:00:00Z' }] };
    await store.addFigures([of(chatbot, '2026-02-01')], cited);
    await store.deleteChatbot(chatbot);
    await store.addFigures([of(chatbot, '2026-02-01'), of(other, '2026-02-01')], cited);
    for (const again of [false, true]) {
      if (again) await reopen();
      expect([await always(chatbot), await store.cited(chatbot)]).toEqual([[], []]);
      expect(await always(other)).toEqual([of(other, '2026-02-01')]);
    }
  });
});

it.skipIf(!server)('postgres: two processes lose nothing that they add to the same days at once', async () => {
  const { open, clear } = await postgresSchema(server!.url)();
  const stores = [await open(), await open()];
  const chatbot = aChatbot(stores[0]!.owner.user.uuid);
  await stores[0]!.createChatbot(chatbot, []);
  const source = aSource(chatbot.uuid);
  await stores[0]!.createSource(source);
  const names = Array.from({ length: 20 }, (_, at) => `shop.example/${at}`);
  const page = (name: string): Figures => ({ ...ONE, by: 'page', name, chatbot: chatbot.uuid, day: '2026-02-01' });
  const cited = { [chatbot.uuid]: [{ source: source.uuid, answers: 1, last_at: '2026-02-01T00:00:00Z' }] };
  // In opposite orders: rows that are locked in the order of the list would block one another.
  const adding = stores.flatMap((store, at) =>
    Array.from({ length: 25 }, () => store.addFigures((at ? names : names.toReversed()).map(page), cited)),
  );
  await Promise.all(adding);
  const figures = await stores[1]!.figures(chatbot.uuid, '2026-02-01', '2026-02-01');
  expect(figures.map(({ asked }) => asked)).toEqual(names.map(() => 50));
  expect(await stores[0]!.cited(chatbot.uuid)).toMatchObject([{ answers: 50 }]);
  for (const store of stores) await store.close();
  await clear();
});

it('lowdb: a damaged month is set aside, the others are served, and all are removed with the chatbot', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-figures-'));
  const health = createHealth();
  const store = await openLowdbStore({ dir, clock: Date.now, health });
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  const { uuid } = chatbot;
  const [january, february] = ['2026-01-31', '2026-02-01'].map((day): Figures => ({ ...ONE, chatbot: uuid, day }));
  await store.addFigures([january!, february!], {});
  const folder = join(dir, 'figures', uuid.slice(0, 2));
  await writeFile(join(folder, `${uuid}.2026-01.json`), '[{"day":"2026-01-31"}]');
  expect(await store.figures(uuid, '2026-01-01', '2026-12-31')).toEqual([february]);
  expect(health.state().reasons).toEqual([expect.stringContaining(`${uuid}.2026-01.json`)]);
  await store.addFigures([january!], {});
  expect(await store.figures(uuid, '2026-01-01', '2026-12-31')).toEqual([january, february]);
  const { refused: _, ...early } = february!;
  await writeFile(join(folder, `${uuid}.2026-02.json`), JSON.stringify([early]));
  expect(await store.figures(uuid, '2026-01-01', '2026-12-31')).toEqual([january, february]);
  expect((await readdir(folder)).toSorted()).toEqual(
    ['2026-01.json', '2026-01.json.damaged', '2026-02.json'].map((name) => `${uuid}.${name}`),
  );
  await store.deleteChatbot(uuid);
  expect(await readdir(folder)).toEqual([]);
  expect(health.state().reasons).toEqual([]);
  await store.close();
  await rm(dir, { recursive: true });
});
