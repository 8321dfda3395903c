import { readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** All that reads and indexes texts: in the bundle the files beside this one, in the sources the room `knowledge`. */
const FOLDER = import.meta.filename.endsWith('.ts') ? join(import.meta.dirname, '..', '..') : import.meta.dirname;

let known: string | undefined;

/** Another one for other code, and for another Node: what one version has made of a text is not what another would make of it. */
export const codeVersion = (): string =>
  (known ??= [checksum(), process.version, process.versions.unicode, endianness()].join(' '));

function checksum(): number {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:js|ts)$/.test(name));
  return names.toSorted().reduce((sum, name) => crc32(readFileSync(join(FOLDER, name)), sum), 0);
}
