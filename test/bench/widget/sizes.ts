import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DEEP_CHAT_BUNDLE } from './fake-server.ts';

export interface Size {
  file: string;
  /** gzip -9. */
  bytes: number;
  goal: string;
  met: string;
}

const gzipSize = (file: string): number => gzipSync(readFileSync(file), { level: 9 }).length;
const isLanguage = (name: string): boolean => /^[a-z]{2}(?:-[\w-]{8})?\.js$/.test(name);
const scriptsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];

function row(file: string, bytes: number, limit?: number): Size {
  return { file, bytes, goal: limit ? `≤ ${limit}` : '', met: limit ? (bytes <= limit ? 'yes' : 'NO') : '' };
}

/** The scripts of a folder whose names match. */
const find = (folder: string, name: RegExp): string[] =>
  scriptsIn(folder)
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`);

const sum = (files: string[]): number => files.reduce((total, file) => total + gzipSize(file), 0);

/** The chunks of a folder that load later: each alone, and the largest of the languages. */
function lazyChunksOf(folder: string, excluded: RegExp): Size[] {
  const others = scriptsIn(folder).filter((name) => !excluded.test(name) && !isLanguage(name));
  const languages = scriptsIn(folder).filter(isLanguage);
  const largest = Math.max(...languages.map((name) => gzipSize(`${folder}/${name}`)));
  return [
    ...others.map((name) => row(`${folder}/${name}`, gzipSize(`${folder}/${name}`))),
    row(`${folder}: a language, the largest of ${languages.length}`, largest),
  ];
}

/** The downloads of a visitor, and of an application that bundles the component. */
export function sizes(): Size[] {
  const panel = ['dist/embed.js', ...find('dist/embed', /^panel-/)];
  const entry = 'dist/component/index.js';
  const component = [entry, ...find('dist/component', /^panel\./)];
  return [
    row('the launcher', gzipSize('dist/embed.js'), 1500),
    row('launcher and panel', sum(panel), 26_000),
    ...lazyChunksOf('dist/embed', /^panel-/),
    row('the component, as it is imported', gzipSize(entry), 16_000),
    row('the component with its panel', sum(component), 16_000),
    ...lazyChunksOf('dist/component', /^(?:index\.js$|panel\.|markdown\.js$)/),
    row('docent/markdown', gzipSize('dist/component/markdown.js'), 6144),
    row('deep-chat, its bundle', gzipSize(DEEP_CHAT_BUNDLE)),
  ];
}
