import { isObject } from './validate.ts';

/** The value of a JSON text; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object of a stored JSON text; an empty one where it holds none. */
export function objectIn(text: string): Record<string, unknown> {
  const value = jsonIn(text);
  return isObject(value) ? value : {};
}
