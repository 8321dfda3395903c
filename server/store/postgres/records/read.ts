import { forEachSliced } from '../../../async/time-slice.ts';
import { jsonIn } from '../../../schema/json.ts';
import { fromJson, isKept, type PostgresContext } from '../context.ts';
import type { RecordTable } from './unreadable.ts';

/** A record, or a source's text, as it stands in a table. */
export interface RecordRow {
  key: string;
  json: string;
  chatbot: string;
  /** The conversation itself, or that of a message. */
  session?: string;
}

/** Undefined where it cannot be read and is left out, which the context says. */
export function readRecord<T>(
  context: PostgresContext,
  table: RecordTable,
  { key, json, ...belonging }: RecordRow,
  isWhole: (value: unknown) => boolean,
): T | undefined {
  const { unreadable } = context;
  if (!unreadable) return isKept(context, json) ? fromJson<T>(json) : undefined;
  const value = jsonIn(json);
  if (isWhole(value)) {
    unreadable.clear(table, key);
    return value as T;
  }
  unreadable.report(table, key, belonging);
  return undefined;
}

/** As `readRecord`, without blocking the event loop: lists may be long. */
export async function readRecords<T>(
  context: PostgresContext,
  table: RecordTable,
  rows: RecordRow[],
  isWhole: (value: unknown) => boolean,
): Promise<T[]> {
  const all: T[] = [];
  await forEachSliced(rows, (row) => {
    const record = readRecord<T>(context, table, row, isWhole);
    if (record !== undefined) all.push(record);
  });
  return all;
}
