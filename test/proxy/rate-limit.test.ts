import fc from '../random.ts';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, createVisitorLimits } from '../../server/http/rate-limit.ts';

describe('a sliding window', () => {
  const limit = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 12 }));
  // Milliseconds between two messages: bursts, and times that fall on the window's very edge.
  const steps = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 0, max: 12 }).map((s) => s * 1000),
    ),
    {
      minLength: 1,
      maxLength: 120,
    },
  );

  it('decides as a naive count of all messages does, and returns the shortest sufficient wait', () => {
    fc.assert(
      fc.property(limit, steps, ([count, seconds], waits) => {
        let now = 1_000_000;
        const limits = createVisitorLimits({ clock: () => now });
        const accepted: number[] = [];
        const free = (at: number): boolean => accepted.filter((time) => time > at - seconds * 1000).length < count;
        for (const wait of waits) {
          now += wait;
          const retryAfter = limits.take('c', 'a', [count, seconds]);
          expect(retryAfter === 0).toBe(free(now));
          if (retryAfter === 0) accepted.push(now);
          else {
            expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= seconds).toBe(true);
            expect(free(now + retryAfter * 1000)).toBe(true);
            expect(free(now + (retryAfter - 1) * 1000)).toBe(false);
          }
        }
      }),
    );
  });

  it('never accepts more than the count in any stretch of the window', () => {
    fc.assert(
      fc.property(limit, steps, ([count, seconds], waits) => {
        let now = 0;
        const limits = createVisitorLimits({ clock: () => now });
        const accepted: number[] = [];
        for (const wait of waits) {
          now += wait;
          if (limits.take('c', 'a', [count, seconds]) === 0) accepted.push(now);
        }
        for (const start of accepted) {
          expect(accepted.filter((time) => time >= start && time < start + seconds * 1000).length).toBeLessThanOrEqual(
            count,
          );
        }
      }),
    );
  });

  it('applies a changed limit at once', () => {
    let now = 0;
    const limits = createVisitorLimits({ clock: () => now });
    for (let i = 0; i < 50; i += 1) {
      now += 1000;
      expect(limits.take('c', 'a', [1, 1])).toBe(0);
    }
    expect(limits.take('c', 'a', [40, 60])).toBe(21);
  });

  it('waits no longer than the window when the clock is set back', () => {
    let now = 10_000_000;
    const limits = createVisitorLimits({ clock: () => now });
    limits.take('c', 'a', [1, 60]);
    now = 1_000_000;
    expect(limits.take('c', 'a', [1, 60])).toBe(60);
    now += 60_000;
    expect(limits.take('c', 'a', [1, 60])).toBe(0);
  });

  it('counts visitors and chatbots separately', () => {
    const limits = createVisitorLimits({ clock: () => 0 });
    expect(limits.take('c', 'a', [1, 60])).toBe(0);
    expect(limits.take('c', 'b', [1, 60])).toBe(0);
    expect(limits.take('d', 'a', [1, 60])).toBe(0);
    expect(limits.take('c', 'a', [1, 60])).toBe(60);
  });

  it('drops idle visitors, and the least recent ones beyond the bound', () => {
    let now = 0;
    const limits = createVisitorLimits({ clock: () => now, visitors: 100 });
    for (let i = 0; i < 1000; i += 1) limits.take('c', `a${i}`, [20, 240]);
    expect(limits.size).toBe(100);
    expect(limits.take('c', 'a999', [1, 240])).toBe(240);
    now += 360_000;
    limits.take('c', 'b', [20, 240]);
    expect(limits.size).toBe(1);
  });
});

const address = (remoteAddress: string | undefined, forwarded?: string, hops = 0): string => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddress({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, hops);
};

describe('a visitor’s address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (remote, counted) => {
    expect(address(remote)).toBe(counted);
  });

  it.each([
    ['no hop is trusted', '198.51.100.1', 0, '10.0.0.1'],
    ['one proxy', '198.51.100.1', 1, '198.51.100.1'],
    ['one proxy and a lie before it', '1.1.1.1, 198.51.100.1', 1, '198.51.100.1'],
    ['two proxies', '1.1.1.1, 198.51.100.1, 10.0.0.2', 2, '198.51.100.1'],
    ['fewer entries than hops', '198.51.100.1', 3, '198.51.100.1'],
    ['no header', undefined, 1, '10.0.0.1'],
    ['an empty header', '', 1, '10.0.0.1'],
    ['a malformed entry', 'nobody', 1, '10.0.0.1'],
    ['a malformed entry behind a good one', 'nobody, 10.0.0.2', 2, '10.0.0.2'],
    ['an entry with a port', '198.51.100.1:4711', 1, '198.51.100.1'],
    ['an IPv6 entry', '2001:db8:1:2:3::1', 1, '2001:db8:1:2::/64'],
    ['an IPv6 entry with a port', '[2001:db8:1:2:3::1]:4711', 1, '2001:db8:1:2::/64'],
    ['an IPv4 in IPv6', '::ffff:198.51.100.1', 1, '198.51.100.1'],
    ['a number for an address', '3325256705', 1, '10.0.0.1'],
    ['an octal address', '0306.51.100.1', 1, '10.0.0.1'],
  ])('with %s', (_, forwarded, hops, counted) => {
    expect(address('10.0.0.1', forwarded, hops)).toBe(counted);
  });
});

describe('the RateLimit fields', () => {
  it('have the policy, what is left, and when the oldest counted message leaves the window', () => {
    let now = 1_000_000;
    const limits = createVisitorLimits({ clock: () => now });
    const take = () => (limits.take('c', 'a', [3, 60]), limits.fields('c', 'a', [3, 60]));
    expect(limits.fields('c', 'a', [3, 60])['RateLimit']).toBe('"default";r=3;t=60');
    expect(take()).toEqual({ 'RateLimit-Policy': '"default";q=3;w=60', RateLimit: '"default";r=2;t=60' });
    now += 10_500;
    expect(take()['RateLimit']).toBe('"default";r=1;t=50');
    expect(take()['RateLimit']).toBe('"default";r=0;t=50');
    expect(limits.take('c', 'a', [3, 60])).toBe(50);
    now += 49_500;
    expect(limits.fields('c', 'a', [3, 60])['RateLimit']).toBe('"default";r=1;t=11');
    // A limit that the owner has lowered since: what is accepted next, and when.
    expect(limits.fields('c', 'a', [1, 60])['RateLimit']).toBe('"default";r=0;t=11');
    expect(limits.take('c', 'a', [1, 60])).toBe(11);
  });
});
