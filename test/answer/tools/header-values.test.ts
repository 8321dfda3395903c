import { expect, it } from 'vitest';
import { withoutHeaderValues } from '../../../server/answer/tools/header-values.ts';

const hidden = (text: string, authorization: string): string => withoutHeaderValues(text, { authorization });

it.each([
  ['The key is a"b\\c-1234.', 'a"b\\c-1234'],
  [JSON.stringify({ key: 'a"b\\c-1234' }), 'a"b\\c-1234'],
  [`/x?key=${encodeURIComponent('a"b\\c/1234')}`, 'a"b\\c/1234'],
])('hides a value, however it is escaped: %s', (text, value) => {
  expect(hidden(text, value)).not.toContain('1234');
  expect(hidden(text, value)).toContain('****');
});

it('reads a reply of backslashes, whatever the value is', () => {
  const reply = '\\'.repeat(200_000);
  expect(hidden(reply, `${'\\'.repeat(30)}x`)).toBe(reply);
});
