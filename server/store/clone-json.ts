/**
 * A copy of JSON data, as it is read again after a restart: without fields that are `undefined`. By way of JSON text, the
 * agents of a chatbot would take several times as long, for the sake of their prompts.
 */
export function cloneJson<T>(value: T): T {
  return (Array.isArray(value) ? value.map(cloneItem) : isObject(value) ? cloneFields(value) : value) as T;
}

/** JSON has no `undefined` in a list. */
const cloneItem = (item: unknown): unknown => (item === undefined ? null : cloneJson(item));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function cloneFields(record: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined) continue;
    // By assignment it would be the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN, value: cloneJson(value) });
    else copy[key] = cloneJson(value);
  }
  return copy;
}

const OWN = { configurable: true, enumerable: true, writable: true };

/** Freezes JSON data, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
