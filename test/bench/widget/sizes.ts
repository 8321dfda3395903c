import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { PEER } from './door.ts';

export interface Size {
  file: string;
  /** gzip -9. */
  bytes: number;
  goal: string;
  met: string;
}

const zipped = (file: string): number => gzipSync(readFileSync(file), { level: 9 }).length;
const isLanguage = (name: string): boolean => /^[a-z]{2}-[\w-]{8}\.js$/.test(name);
const scriptsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];

function row(file: string, bytes: number, most?: number): Size {
  return { file, bytes, goal: most ? `≤ ${most}` : '', met: most ? (bytes <= most ? 'yes' : 'NO') : '' };
}

/** The scripts of a folder that are named so. */
const find = (folder: string, name: RegExp): string[] =>
  scriptsIn(folder)
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`);

const sum = (files: string[]): number => files.reduce((all, file) => all + zipped(file), 0);

/** Files that come one by one, and of the languages the largest. */
function laterOf(folder: string, known: RegExp): Size[] {
  const others = scriptsIn(folder).filter((name) => !known.test(name) && !isLanguage(name));
  const languages = scriptsIn(folder).filter(isLanguage);
  const largest = Math.max(...languages.map((name) => zipped(`${folder}/${name}`)));
  return [
    ...others.map((name) => row(`${folder}/${name}`, zipped(`${folder}/${name}`))),
    row(`${folder}: a language, the largest of ${languages.length}`, largest),
  ];
}

/** What a visitor, or whoever bundles the component, downloads. */
export function sizes(): Size[] {
  const panel = ['dist/embed.js', ...find('dist/embed', /^panel-/)];
  const entry = 'dist/component/index.js';
  const component = [entry, ...find('dist/component', /^panel-/)];
  return [
    row('the launcher', zipped('dist/embed.js'), 1536),
    row('launcher and panel', sum(panel), 26_000),
    ...laterOf('dist/embed', /^panel-/),
    row('the component, as it is imported', zipped(entry), 16_000),
    row('the component with its panel', sum(component), 16_000),
    ...laterOf('dist/component', /^(?:index\.js$|panel-|markdown\.js$)/),
    row('docent/markdown', zipped('dist/component/markdown.js'), 6144),
    row('deep-chat, its bundle', zipped(PEER)),
  ];
}
