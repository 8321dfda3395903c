import { describe, expect, it } from 'vitest';
import { secretsIn, withoutSecrets } from '../../../server/answer/tools/header-values.ts';

const NOBODY = { hidden: new Set<string>(), collected: new Set<string>() };
const hidden = (text: string, authorization: string): string =>
  withoutSecrets(text, secretsIn({ authorization }, {}, NOBODY));

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

describe('of a function that repeats its headers', () => {
  const VALUES = { order: 'TW-10234x', plan: 'gold4you2', shop_key: 'Sh0pK3y-0f-0urs' };
  const given = { hidden: new Set(['shop_key']), collected: new Set(['order']) };

  it.each([
    ['Origin', 'https://shop.example'],
    ['Prefer', 'return=representation'],
    ['Accept', 'application/vnd.shop.v2beta3+json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Referer', 'https://shop.example/a1b2c3d4'],
    ['Stripe-Version', '2024-06-20.acacia1b2'],
    ['If-None-Match', 'W/"a1b2c3d4e5"'],
    ['X-Request-Id', '7f3e9a4cde0211'],
    ['X-Tenant', 'acme-shop'],
    ['X-Region', 'eu-central-1'],
    ['X-Since', '2024-01-01'],
    ['X-Author', 'Jane Fairweather'],
    ['X-Note', 'Customer 4 of 12 shops'],
    ['X-Order', '{{order}}'],
    ['X-Plan', 'plan {{plan}}'],
    ['X-Order-Key', '{{order}}'],
  ])('%s: %s is shown: it is no secret, or the own of the visitor', (name, template) => {
    const sent = template.replace(/\{\{(\w+)\}\}/, (_, variable: 'order') => VALUES[variable]);
    expect(withoutSecrets(`I got ${sent}.`, secretsIn({ [name]: template }, VALUES, given))).toBe(`I got ${sent}.`);
  });

  it.each([
    ['Authorization', 'Bearer secret-of-the-shop', 'secret-of-the-shop'],
    ['Authorization', 'Signature keyId="the-key-of-ours",algorithm="hs2019"', 'the-key-of-ours'],
    ['Cookie', 'theme=light; sid=quite-a-secret', 'quite-a-secret'],
    ['X-API-Key', 'just words', 'just words'],
    ['X-Forwarded-Access-Token', 'lowercase', 'lowercase'],
    ['X-Shop', 'k3y9x2mq', 'k3y9x2mq'],
    ['X-Shop', '550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['X-Shop', 'abcdefghijklmnopqrstuvwx', 'abcdefghijklmnopqrstuvwx'],
    ['X-Shop', 'shop of {{shop_key}}', 'Sh0pK3y-0f-0urs'],
    ['Authorization', 'Bearer {{plan}}', 'gold4you2'],
  ])('%s: %s is hidden', (name, template, secret) => {
    expect(withoutSecrets(`I got ${secret}.`, secretsIn({ [name]: template }, VALUES, given))).toBe('I got ****.');
  });
});
