import { invalid } from '../schema/errors.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredKey, User } from '../store/store.ts';
import { hashKey, newKey, prefixOf } from './auth.ts';

/** A key with its record, which is not stored yet. Throws a `Refusal` that names `name`. */
export async function makeKey(
  { store, clock }: { store: Store; clock: Clock },
  user: User,
  name: string,
): Promise<{ key: string; record: StoredKey }> {
  const named = readName(name);
  const key = newDistinctKey(await store.keys());
  const dated = { created_at: timestamp(clock), last_used_at: '' };
  return { key, record: { hash: hashKey(key), user: user.uuid, name: named, hint: prefixOf(key), ...dated } };
}

/** Terminals print names: no control characters. Throws a `Refusal` that names `name`. */
export function readName(name: string): string {
  if (!/^[^\p{C}]{1,200}$/u.test(name) || name.trim() === '') {
    throw invalid('name', 'the name must be 1 to 200 printable characters');
  }
  if (name.startsWith('dk_')) throw invalid('name', 'the name must not begin with dk_, as keys do');
  return name;
}

/** A key with a prefix that no other key has, so that the prefix identifies it. */
function newDistinctKey(keys: StoredKey[]): string {
  for (;;) {
    const key = newKey();
    if (!keys.some(({ hint }) => hint === prefixOf(key))) return key;
  }
}
