/** What is in a field of JSON; nothing where that is none. */
export function objectIn<T = Record<string, unknown>>(json: string): Partial<T> {
  try {
    return Object(JSON.parse(json)) as Partial<T>;
  } catch {
    return {};
  }
}
