import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { importsOf, sourcesOf } from './source.ts';
import type { Import } from './source.ts';

/** The house, from the roof down: a room imports itself and what stands on a later line. */
const FLOORS = [
  ['main', 'dev', 'development', 'licenses'],
  ['cli'],
  ['commands'],
  ['greeting'],
  ['boot'],
  ['demo', 'app', 'socket', 'starting'],
  ['control', 'teaching', 'operator', 'rooms'],
  ['api', 'proxy', 'admin'],
  ['unreadable'],
  ['http', 'auth', 'limits', 'list', 'pipelining', 'named'],
  ['answer'],
  ['agents'],
  ['knowledge'],
  ['model', 'store', 'web'],
  ['outbound'],
  ['async'],
  ['validate'],
  ['widget-settings', 'visitor-schema', 'site-schema'],
  ['health'],
  ['config'],
  ['schema'],
  ['errors', 'records'],
  ['types', 'spelling', 'docs'],
];

const KOA_ROOMS = new Set(['main', 'boot', 'app', 'demo', 'api', 'proxy', 'auth', 'limits', 'http', 'health']);

const server = sourcesOf('server').flatMap(importsOf);
const widget = sourcesOf('widget').flatMap(importsOf);

const roomOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
const floorOf = (room: string): number => FLOORS.findIndex((floor) => floor.includes(room));
const isKoa = (name: string): boolean => /^(?:koa$|koa-|@koa\/)/.test(name);
const line = ({ file, target }: Import): string => `${file} imports ${target}`;

describe('the server', () => {
  test('has only rooms that the table of floors knows', () => {
    expect(sourcesOf('server').filter((file) => floorOf(roomOf(file)) < 0)).toEqual([]);
  });

  test('imports go down only', () => {
    const rises = ({ file, target }: Import): boolean => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && floorOf(to) <= floorOf(from);
    };
    const inside = server.filter(({ target }) => target.startsWith('server/'));
    expect(inside.length).toBeGreaterThan(20);
    expect(inside.filter(rises).map(line)).toEqual([]);
  });

  test('imports nothing of the widget, and of the demo only its pages', () => {
    const outside = server.filter(({ target }) => /^(?:widget|demo|test)\//.test(target));
    expect(outside.filter(({ target }) => target !== 'demo/pages.ts').map(line)).toEqual([]);
  });

  test('knows koa only in the rooms that speak HTTP to callers', () => {
    const koa = server.filter(({ target }) => isKoa(target));
    expect(koa.length).toBeGreaterThan(0);
    expect(koa.filter(({ file }) => !KOA_ROOMS.has(roomOf(file))).map(line)).toEqual([]);
  });

  test('knows lowdb in one file', () => {
    const files = server.filter(({ target }) => target.startsWith('lowdb')).map(({ file }) => file);
    expect([...new Set(files)]).toEqual([expect.stringMatching(/^server\/store\/(?:lowdb\/files\/)?lowdb[\w-]*\.ts$/)]);
  });

  test('knows nothing of preact', () => {
    expect(server.filter(({ target }) => /preact/.test(target)).map(line)).toEqual([]);
  });
});

describe('the widget', () => {
  test('imports itself, preact and its signals, and the types it shares with the server', () => {
    const allowed = ({ target, typeOnly }: Import): boolean =>
      target.startsWith('widget/') ||
      /^(?:preact|@preact\/signals)(?:\/|$)/.test(target) ||
      (target === 'server/types.ts' && typeOnly);
    expect(widget.length).toBeGreaterThan(0);
    expect(widget.filter((one) => !allowed(one)).map(line)).toEqual([]);
  });

  test('uses no hooks, for its panel is built without them', () => {
    expect(widget.filter(({ target }) => target.startsWith('preact/')).map(line)).toEqual([]);
    const hooked = sourcesOf('widget').filter((file) =>
      /\buse(?:Signal|Computed|Model)/.test(readFileSync(file, 'utf8')),
    );
    expect(hooked).toEqual([]);
  });
});
