import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, sourcesOf } from './source.ts';
import type { Import } from './source.ts';

/** Checks the code against the tables of server/ARCHITECTURE.md. */

interface Room {
  level: number;
  faces: string[];
}

const text = readFileSync('server/ARCHITECTURE.md', 'utf8');

/** The rows of the table between two comments of this name, a list of cells each. */
function table(name: string): string[][] {
  const [, body = ''] = new RegExp(`<!-- ${name} -->([^]*?)<!-- /${name} -->`).exec(text) ?? [];
  const lines = body.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

const rooms = new Map<string, Room>(
  table('rooms').map(([level, room, , faces]) => [codes(room)[0]!, { level: Number(level), faces: codes(faces) }]),
);

/** At most so many files stand in one folder, a file a language excepted. */
const MOST_FILES = 16;
const LARGE_FOLDERS = new Set(['widget/words']);
/** At most so many stand loose in server/ and in widget/. */
const MOST_LOOSE = 5;

const server = sourcesOf('server').flatMap(importsOf);
const widget = sourcesOf('widget').flatMap(importsOf);

const top = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
/** The row that a file belongs to: of its folder and the folder above, the deepest that has one. */
function roomOf(path: string): string {
  const [, room = '', sub = ''] = path.split('/');
  return rooms.has(`${room}/${sub}`) ? `${room}/${sub}` : top(path);
}
const levelOf = (path: string): number => rooms.get(roomOf(path))?.level ?? NaN;
const isKoa = (name: string): boolean => /^(?:koa$|koa-|@koa\/)/.test(name);
const line = ({ file, target }: Import): string => `${file} imports ${target}`;
const inside = server.filter(({ target }) => target.startsWith('server/'));

describe('the server', () => {
  test('has the rooms that the table lists, and no others', () => {
    expect(rooms.size).toBeGreaterThan(20);
    expect(sourcesOf('server').filter((file) => Number.isNaN(levelOf(file)))).toEqual([]);
    const used = new Set(sourcesOf('server').map(roomOf));
    expect([...rooms.keys()].filter((room) => !used.has(room))).toEqual([]);
  });

  test('imports from one room to another go to a lower level', () => {
    const rises = ({ file, target }: Import): boolean =>
      roomOf(file) !== roomOf(target) && levelOf(target) >= levelOf(file);
    expect(inside.filter(rises).map(line)).toEqual([]);
  });

  test('other rooms import only the faces of a room', () => {
    const facesOf = (room: string): string[] =>
      [...rooms]
        .filter(([name]) => name.split('/')[0] === room)
        .flatMap(([name, { faces }]) => faces.map((face) => `server/${name}/${face}`));
    const others = inside.filter(({ file, target }) => top(file) !== top(target) && target.split('/').length > 2);
    const hidden = others.filter(({ target }) => !facesOf(top(target)).includes(target));
    expect(hidden.map(line)).toEqual([]);
    const imported = new Set(others.map(({ target }) => target));
    const idle = [...rooms.keys()]
      .filter((name) => !name.includes('/'))
      .flatMap(facesOf)
      .filter((face) => !imported.has(face));
    expect(idle).toEqual([]);
  });

  test('imports nothing of the widget, and of the demo only its pages and its team', () => {
    const outside = server.filter(({ target }) => /^(?:widget|demo|test)\//.test(target));
    const allowed = ['demo/pages.ts', 'demo/team.ts'];
    expect(outside.filter(({ target }) => !allowed.includes(target)).map(line)).toEqual([]);
  });

  test('knows koa only in the rooms that speak HTTP to callers', () => {
    const [, names = ''] = /^koa is imported by ([^]*?) only/m.exec(text) ?? [];
    const allowed = new Set(codes(names));
    expect(new Set(server.filter(({ target }) => isKoa(target)).map(({ file }) => top(file)))).toEqual(allowed);
  });

  test('knows lowdb in one file', () => {
    const files = server.filter(({ target }) => target.startsWith('lowdb')).map(({ file }) => file);
    expect([...new Set(files)]).toEqual(['server/store/lowdb/files/lowdb-file.ts']);
  });

  test('knows nothing of preact', () => {
    expect(server.filter(({ target }) => /preact/.test(target)).map(line)).toEqual([]);
  });
});

describe('the widget', () => {
  const isConsole = (path: string): boolean => path.startsWith('widget/console/');

  test('imports itself, preact and its signals, and the types it shares with the server', () => {
    const allowed = ({ file, target, typeOnly }: Import): boolean =>
      target.startsWith('widget/') ||
      /^(?:preact|@preact\/signals(?:-core)?)(?:\/|$)/.test(target) ||
      (/^(?:preact-iso\/|@simplewebauthn\/browser$)/.test(target) && isConsole(file)) ||
      (target === 'server/types.ts' && typeOnly);
    expect(widget.length).toBeGreaterThan(0);
    expect(widget.filter((one) => !allowed(one)).map(line)).toEqual([]);
  });

  test('uses no hooks, for its panel is built without them; the console is built apart', () => {
    const panel = widget.filter(({ file }) => !isConsole(file));
    expect(panel.filter(({ target }) => target.startsWith('preact/')).map(line)).toEqual([]);
    const hooked = sourcesOf('widget').filter(
      (file) => !isConsole(file) && /\buse(?:Signal|Computed|Model)/.test(readFileSync(file, 'utf8')),
    );
    expect(hooked).toEqual([]);
  });

  test('reads signals by their value: as a child, one draws nothing in what is built', () => {
    const drawn = sourcesOf('widget').flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const names = [...text.matchAll(/(\w+) = (?:signal|use(?:Signal|Computed))\b/g)].map(([, name]) => name!);
      return names.filter((name) => new RegExp(`(?<!=)\\{${name}\\}`).test(text)).map((name) => `${file}: ${name}`);
    });
    expect(drawn).toEqual([]);
  });

  test("imports nothing of the console, which takes no visitor's time", () => {
    expect(widget.filter(({ file, target }) => isConsole(target) && !isConsole(file)).map(line)).toEqual([]);
    expect(widget.filter(({ file }) => isConsole(file)).length).toBeGreaterThan(10);
  });
});

describe('folders and files', () => {
  const files = ['server', 'widget'].flatMap(sourcesOf);

  test(`a folder has at most ${MOST_FILES} files, and ${MOST_LOOSE} stand loose`, () => {
    const counts = new Map<string, number>();
    for (const file of [...files, ...sourcesOf('test')])
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const most = (folder: string): number => (folder.includes('/') ? MOST_FILES : MOST_LOOSE);
    const large = [...counts].filter(([folder, count]) => count > most(folder) && !LARGE_FOLDERS.has(folder));
    expect(large).toEqual([]);
  });

  test('a name of a limit stands for one limit in each room', () => {
    const limits = new Map<string, string[]>();
    for (const file of sourcesOf('server')) {
      for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:export )?const ([A-Z][A-Z_\d]+) = [-\d(]/gm)) {
        const place = `${roomOf(file)} ${name}`;
        limits.set(place, [...(limits.get(place) ?? []), file]);
      }
    }
    expect(limits.size).toBeGreaterThan(100);
    expect([...limits].filter(([, places]) => places.length > 1)).toEqual([]);
  });

  test('no files import each other in a circle, types included', () => {
    expect(circlesOf([...server, ...widget])).toEqual([]);
  });

  test('the places of ARCHITECTURE.md are there', () => {
    const places = [...text.matchAll(/`((?:server|widget|test|demo)\/[\w./-]+)`/g)].map(([, path]) => path!);
    expect(places.length).toBeGreaterThan(10);
    expect(places.filter((path) => !existsSync(path))).toEqual([]);
    expect(readdirSync('server').filter((name) => name.endsWith('.md'))).toEqual(['ARCHITECTURE.md', 'INTERFACE.md']);
  });
});

/** The sets of files of which each imports, over others, each other. */
function circlesOf(imports: Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { file, target } of imports) next.set(file, [...(next.get(file) ?? []), target]);
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(next.get(from) ?? [])];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      open.push(...(next.get(file) ?? []));
    }
    return seen;
  };
  const reached = new Map([...next.keys()].map((file) => [file, reach(file)]));
  const round = [...reached].filter(([file, seen]) => seen.has(file)).map(([file]) => file);
  return round.map((file) => round.filter((other) => reached.get(file)!.has(other) && reached.get(other)!.has(file)));
}
