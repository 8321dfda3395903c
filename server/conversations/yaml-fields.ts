import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { nearestWord } from '../schema/nearest-word.ts';

/** Readers of YAML values that say what is wrong with one, with its file and line. */

/** What a file of conversations has wrong: `file:line: sentence`. */
export class FileError extends Error {}

/** A value of the file, and where it stands. */
export interface Place {
  node: Node | null;
  /** As a person would say it: `turns[0].ask`. '' for the whole file. */
  path: string;
  /** The line of its key, from 1. */
  line: number;
  file: YamlFile;
}

interface YamlFile {
  name: string;
  document: Document;
  lines: LineCounter;
}

export type Reader<T> = (place: Place) => T;

/** Throws a `FileError` for text that is no YAML. */
export function readYaml<T>(name: string, text: string, read: Reader<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const file = { name, document, lines };
  const [error] = document.errors;
  if (error) throw new FileError(`${name}:${lineAt(file, error.pos[0])}: this is not YAML: ${error.message}`);
  return read({ node: document.contents as Node | null, path: '', line: 1, file });
}

/** Any value but a list, a map or nothing, as it is written. */
export const text: Reader<string> = (place) => {
  const value = scalar(place);
  const { source } = place.node as { source?: string };
  const written = typeof value === 'string' ? value : (source ?? '');
  if (written.trim() === '') throw wrong(place, 'must be a text');
  return written;
};

export const flag: Reader<boolean> = (place) => {
  const value = scalar(place);
  if (typeof value !== 'boolean') throw wrong(place, 'must be true or false');
  return value;
};

/** `null` for a key with nothing behind it. */
export const value: Reader<string | number | boolean | null> = (place) => {
  const found = resolved(place) === null ? null : scalar(place);
  const isPlain = found === null || ['string', 'boolean'].includes(typeof found) || Number.isFinite(found);
  if (!isPlain) throw wrong(place, 'must be a text, a number, true, false or null');
  return found as string | number | boolean | null;
};

export const isMapAt = (place: Place): boolean => isMap(resolved(place));

/** A list; one value alone is a list of one. */
export const listOf =
  <T>(read: Reader<T>): Reader<T[]> =>
  (place) => {
    const node = resolved(place);
    if (isMap(node) || node === null) throw wrong(place, 'must be a list');
    if (!isSeq(node)) return [read(place)];
    return node.items.map((item, at) => read(inner(place, `[${at}]`, item as Node | null)));
  };

export const nonEmpty =
  <T>(read: Reader<T[]>, hint = ''): Reader<T[]> =>
  (place) => {
    const items = read(place);
    if (items.length === 0) throw wrong(place, `must not be an empty list${hint && `; ${hint}`}`);
    return items;
  };

/** A map with keys of the owner's own. */
export const mapOf =
  <T>(read: Reader<T>): Reader<Record<string, T>> =>
  (place) =>
    Object.fromEntries(entriesOf(place).map(([key, one]) => [key, read(one)]));

type Fields<T> = { [K in keyof T]-?: Reader<Exclude<T[K], undefined>> };

/** A map with these keys alone, those of `required` among them. */
export const record =
  <T extends object>(fields: Fields<T>, required: (keyof T & string)[]): Reader<T> =>
  (place) => {
    const known = Object.keys(fields) as (keyof T & string)[];
    const result: Partial<T> = {};
    const entries = entriesOf(place);
    for (const [key, one] of entries) {
      const name = known.find((each) => each === key);
      if (name === undefined) throw unknownKey(one, key, known);
      result[name] = fields[name](one);
    }
    const missing = required.find((key) => !entries.some(([given]) => given === key));
    if (missing !== undefined) throw wrong(place, `must have the key "${missing}"`);
    return result as T;
  };

function entriesOf(place: Place): [key: string, value: Place][] {
  const node = resolved(place);
  if (!isMap(node)) throw wrong(place, 'must be keys with values');
  return node.items.map((pair) => {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    const at = lineOf(place, pair.key as Node);
    const path = place.path === '' ? key : `${place.path}.${key}`;
    return [key, { node: pair.value as Node | null, path, line: at, file: place.file }];
  });
}

function scalar(place: Place): unknown {
  const node = resolved(place);
  if (!isScalar(node)) throw wrong(place, 'must be a single value');
  return node.value;
}

/** A null that is written, and one that is not, are both null. */
function resolved({ node, file }: Place): Node | null {
  const found = isAlias(node) ? (node.resolve(file.document) ?? null) : node;
  return isScalar(found) && found.value === null ? null : found;
}

const inner = (place: Place, step: string, node: Node | null): Place => ({
  node,
  path: place.path + step,
  line: lineOf(place, node),
  file: place.file,
});

const lineOf = ({ file, line }: Place, node: Node | null): number => (node?.range ? lineAt(file, node.range[0]) : line);

const lineAt = ({ lines }: Pick<YamlFile, 'lines'>, offset: number): number => lines.linePos(offset).line;

const wrong = ({ file, line, path }: Place, what: string): FileError =>
  new FileError(`${file.name}:${line}: ${path === '' ? 'the file' : path} ${what}`);

function unknownKey(place: Place, key: string, known: string[]): FileError {
  const near = nearestWord(key, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`;
  const { file, line, path } = place;
  return new FileError(`${file.name}:${line}: ${path} is not a key that is known; ${hint}`);
}
