import { expect, it } from 'vitest';
import { withoutHeaderValues } from '../../../server/answer/tools/header-values.ts';

const hidden = (text: string, authorization: string): string => withoutHeaderValues(text, { authorization });

it.each([
  ['The key is a"b\\c-1234.', 'a"b\\c-1234'],
  [JSON.stringify({ key: 'a"b\\c-1234' }), 'a"b\\c-1234'],
  [`/x?key=${encodeURIComponent('a"b\\c/1234')}`, 'a"b\\c/1234'],
  [
    JSON.stringify(JSON.stringify({ next: `/x?key=${encodeURIComponent(encodeURIComponent('a b+c/1234'))}` })),
    'a b+c/1234',
  ],
  ['\\u0061%62C-D%31234', 'ab%63-d1234'],
])('hides a value, however it is escaped: %s', (text, value) => {
  expect(hidden(text, value)).not.toContain('1234');
  expect(hidden(text, value)).toContain('****');
});

it('reads a reply of backslashes, whatever the value is', () => {
  const reply = '\\'.repeat(200_000);
  expect(hidden(reply, `${'\\'.repeat(30)}x`)).toBe(reply);
});

it('hides a value beyond ASCII, in UTF-8 or in capitals', () => {
  expect(hidden(`/x?key=${encodeURIComponent('schlüssel-é')} SCHLÜSSEL-É`, 'schlüssel-é')).toBe('/x?key=**** ****');
});

it('tells no more of a reply that begins like a value at every place', () => {
  expect(hidden(`key: ${'a'.repeat(256_000)}`, `${'a'.repeat(8000)}b`)).toMatch(/^key: a{1,9999}\*{4}$/);
});

it('leaves the text around a value as it is', () => {
  const reply = JSON.stringify(JSON.stringify({ key: 'Token a"b-1234', path: 'C:\\new\\1', share: '5 %25' }));
  expect(hidden(reply, 'a"b-1234')).toBe(reply.replace(/a\\+"b-1234/, '****'));
});

it('hides a value of 8,000 characters, and its parts', () => {
  const token = Array.from({ length: 600 }, (_, at) => `claim-${at}`).join(';');
  const reply = JSON.stringify({ echo: `Bearer ${token}`, part: 'claim-512' });
  expect(hidden(reply, `Bearer ${token}`)).toBe('{"echo":"****","part":"****"}');
});
