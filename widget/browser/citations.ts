import type { Citations } from '../../server/types.ts';

/** Parses JSON; an empty object where it is invalid or `null`. */
export function parseObject(json: string): object {
  try {
    return (JSON.parse(json) as object) ?? {};
  } catch {
    return {};
  }
}

/** Parses `cite_data_json` into citations by marker; entries without a quoted text are dropped, invalid JSON gives none. */
export const readCitations = (json: string): Citations =>
  Object.fromEntries(Object.entries(parseObject(json) as Citations).filter(([, one]) => typeof one?.text === 'string'));
