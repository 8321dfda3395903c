import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson } from '../../../server/store/clone-json.ts';

/** With `undefined` and with keys such as `__proto__` and `toString`; numbers as JSON has them. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, undefined, true, false),
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.array(tie('value')),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toString', 'constructor', '1')), tie('value')),
  ),
})).value;

it('copies what JSON copies, in the same order, and shares no part with the original', () => {
  fc.assert(
    fc.property(json, (value) => {
      const copy = cloneJson(value);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      expect(isDeepStrictEqual(copy, value === undefined ? undefined : JSON.parse(JSON.stringify(value)))).toBe(true);
      expect(sharesNone(copy, value)).toBe(true);
    }),
  );
});

function sharesNone(copy: unknown, original: unknown): boolean {
  if (typeof copy !== 'object' || copy === null) return true;
  const [one, other] = [copy, original] as Record<string, unknown>[];
  return one !== other && Object.keys(one!).every((key) => sharesNone(one![key], other![key]));
}
