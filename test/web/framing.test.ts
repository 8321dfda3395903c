import { expect, it } from 'vitest';
import { mayFrame } from '../../server/web/framing.ts';

const PAGE = 'https://shop.example/';
const CONSOLE = 'https://chat.example.com';

it.each([
  [[], [], true],
  [['DENY'], [], false],
  [['deny, deny'], [], false],
  [['SAMEORIGIN'], [], false],
  [['sameorigin', 'ALLOWALL'], [], false],
  [['ALLOWALL'], [], true],
  [['ALLOW-FROM https://other.example'], [], true],
  [[], ["default-src 'self'"], true],
  [[], ["frame-ancestors 'none'"], false],
  [[], ["default-src 'self'; Frame-Ancestors  'self'"], false],
  [[], ["script-src 'self'", "frame-ancestors 'self'"], false],
  [[], ["script-src 'self', frame-ancestors 'none'"], false],
  [[], ['frame-ancestors'], false],
  [[], ['frame-ancestors *'], true],
  [[], ['frame-ancestors https:'], true],
  [[], ['frame-ancestors http:'], false],
  [[], ["frame-ancestors 'self' https://chat.example.com"], true],
  [[], ['frame-ancestors https://chat.example.com:443/'], true],
  [[], ['frame-ancestors https://chat.example.com:*'], true],
  [[], ['frame-ancestors https://chat.example.com:8443'], false],
  [[], ['frame-ancestors CHAT.example.com'], true],
  [[], ['frame-ancestors http://chat.example.com'], true],
  [[], ['frame-ancestors https://*.example.com'], true],
  [[], ['frame-ancestors *.chat.example.com'], false],
  [[], ['frame-ancestors https://example.com'], false],
  [[], ['frame-ancestors *; frame-ancestors none'], true],
  [[], ['frame-ancestors *', "frame-ancestors 'none'"], false],
  [['DENY'], ['frame-ancestors *'], true],
])('options %j and policies %j: %s', (options, policies, isAllowed) => {
  expect(mayFrame({ options, policies }, PAGE, CONSOLE)).toBe(isAllowed);
});

it("takes SAMEORIGIN and 'self' for the page's own origin", () => {
  expect(mayFrame({ options: ['SAMEORIGIN'], policies: [] }, PAGE, 'https://shop.example')).toBe(true);
  expect(mayFrame({ options: [], policies: ["frame-ancestors 'self'"] }, PAGE, 'https://shop.example')).toBe(true);
});
