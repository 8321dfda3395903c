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

/** The entry, what it loads later file by file, and of the languages the largest. */
function rowsOf(folder: string, entry: RegExp, most: number | undefined, before = 0): Size[] {
  const sizes = scriptsIn(folder).map((name) => ({ name, bytes: zipped(`${folder}/${name}`) }));
  const languages = sizes.filter(({ name }) => isLanguage(name));
  const largest = Math.max(0, ...languages.map(({ bytes }) => bytes));
  const others = sizes.filter(({ name }) => !isLanguage(name));
  const isEntry = ({ name }: { name: string }): boolean => entry.test(name);
  return [
    ...others
      .filter(isEntry)
      .map(({ name, bytes }) => row(`${folder}/${name}${before ? ' with the launcher' : ''}`, bytes + before, most)),
    ...others.filter((one) => !isEntry(one)).map(({ name, bytes }) => row(`${folder}/${name}, later or apart`, bytes)),
    ...(languages.length ? [row(`${folder}: a language, the largest of ${languages.length}`, largest)] : []),
  ];
}

/** What a visitor, or whoever bundles the component, downloads. */
export function sizes(): Size[] {
  const launcher = zipped('dist/embed.js');
  return [
    row('dist/embed.js', launcher, 1536),
    ...rowsOf('dist/embed', /^panel-/, 26_000, launcher),
    ...rowsOf('dist/component', /^index\.js$/, 16_000),
    ...rowsOf('dist/markdown', /^index\.js$/, undefined),
    row('deep-chat, its bundle', zipped(PEER)),
  ];
}
