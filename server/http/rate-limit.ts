import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../schema/ids.ts';
import type { Store } from '../store/store.ts';
import type { Visit, VisitLimit } from '../store/visits.ts';

/** Who a visitor is, and how many messages one may send. */

/** Seconds; the longest window that `rate_limit` allows. */
const MAX_WINDOW_SECONDS = 360;
/** The highest count that `rate_limit` allows. */
const MAX_COUNT = 100;

export interface VisitorLimits {
  /**
   * Counts one message of a visitor and returns 0, or, where `[count, seconds]` is used up, counts nothing and returns
   * the whole seconds after which the next one is accepted.
   */
  take(chatbot: string, address: string, limit: readonly [number, number]): number;
  /** Takes back the newest that `take` has counted: it was none that the limit is for. */
  takeBack(chatbot: string, address: string): void;
  /** The `RateLimit` and `RateLimit-Policy` fields of a reply for which `take` was asked. */
  fields(chatbot: string, address: string, limit: readonly [number, number]): Record<string, string>;
  /** Visitors remembered at the moment. */
  readonly size: number;
}

/**
 * A true sliding window: in no stretch of `seconds` are more than `count` accepted. Each visitor's last hundred accepted
 * times are kept, so that a limit changed by the owner holds at once. `visitors` bounds the memory: the one idle for
 * longest is forgotten first. `longest`: the longest window, in seconds.
 */
export function createVisitorLimits({
  clock,
  visitors = 50_000,
  longest = MAX_WINDOW_SECONDS,
}: {
  clock: Clock;
  visitors?: number;
  longest?: number;
}): VisitorLimits {
  // In order of the last accepted message, the oldest first. Not lru-cache: it reserves 1 MB for 50,000 entries, for each
  // of the five limits, and does not drop idle entries as it goes.
  const accepted = new Map<string, number[]>();

  function forget(now: number): void {
    for (const [key, times] of accepted) {
      const idle = now - (times.at(-1) ?? 0) >= longest * 1000;
      if (!idle && accepted.size <= visitors) return;
      accepted.delete(key);
    }
  }

  return {
    take(chatbot, address, [count, seconds]) {
      const now = clock();
      const key = `${chatbot} ${address}`;
      const times = accepted.get(key) ?? [];
      const wait = waitFor(times, now, count, seconds);
      if (wait > 0) return wait;
      times.push(now);
      if (times.length > MAX_COUNT) times.shift();
      accepted.delete(key);
      accepted.set(key, times);
      forget(now);
      return 0;
    },
    takeBack(chatbot, address) {
      accepted.get(`${chatbot} ${address}`)?.pop();
    },
    fields: (chatbot, address, limit) => fieldsOf(accepted.get(`${chatbot} ${address}`) ?? [], clock(), limit),
    get size() {
      return accepted.size;
    },
  };
}

function fieldsOf(times: number[], now: number, [count, seconds]: readonly [number, number]): Record<string, string> {
  const window = seconds * 1000;
  const counted = times.filter((time) => time > now - window).slice(-count);
  const reset = Math.ceil(((counted[0] ?? now) + window - now) / 1000);
  return {
    'RateLimit-Policy': `"default";q=${count};w=${seconds}`,
    RateLimit: `"default";r=${count - counted.length};t=${reset}`,
  };
}

/** Of one message of a visitor. */
export interface TakenVisit {
  /** Seconds after which the next one is accepted, where this one was not; 0 where it was. */
  retryAfter: number;
  /** Of the reply. */
  fields: Record<string, string>;
}

/** As `VisitorLimits.take`, with the fields of the reply. */
export type TakeVisit = (chatbot: string, address: string, limit: readonly [number, number]) => Promise<TakenVisit>;

/** As several processes count it in their store. Limits of another `kind` are counted apart. */
export const visitLimit = (
  kind: string,
  chatbot: string,
  address: string,
  [count, seconds]: readonly [number, number],
): VisitLimit => ({ key: `${kind} ${chatbot} ${address}`, count, seconds });

/** What the store says of a visit. */
export function takenVisit({ isCounted, times, now }: Visit, limit: readonly [number, number]): TakenVisit {
  const retryAfter = isCounted ? 0 : Math.max(1, waitFor(times, now, ...limit));
  return { retryAfter, fields: fieldsOf(times, now, limit) };
}

/** Counts in the store where several processes have it open, so that the limit holds over them all; else in memory. */
export function createTakeVisit(
  { store, clock }: { store: Pick<Store, 'visits'>; clock: Clock },
  kind: string,
): TakeVisit {
  const { visits } = store;
  const limits = createVisitorLimits({ clock });
  return async (chatbot, address, limit) => {
    if (!visits) {
      const retryAfter = limits.take(chatbot, address, limit);
      return { retryAfter, fields: limits.fields(chatbot, address, limit) };
    }
    const { key, count, seconds } = visitLimit(kind, chatbot, address, limit);
    return takenVisit(await visits.take(key, count, seconds), limit);
  };
}

function waitFor(times: number[], now: number, count: number, seconds: number): number {
  // A system clock that is set back must not lock anybody out for the difference.
  for (let i = times.length - 1; i >= 0 && times[i]! > now; i -= 1) times[i] = now;
  const blocking = times[times.length - count];
  return blocking === undefined ? 0 : Math.max(0, Math.ceil((blocking + seconds * 1000 - now) / 1000));
}

/**
 * The address that counts as one visitor: IPv4 whole, IPv6 by its /64 (a household or a server has at least that much).
 * `X-Forwarded-For` is believed for as many hops as the operator named, counted from the right, since all further left is
 * the caller's own word.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const address = callerOf(request, trustedHops);
  return address ? visitorKey(address) : 'unknown';
}

/** The whole address, as `clientAddress` finds it; undefined where there is none. */
export function fullAddress(
  request: IncomingMessage,
  trustedHops: number,
): { address: string; family: 'ipv4' | 'ipv6' } | undefined {
  const caller = callerOf(request, trustedHops);
  if (!caller) return undefined;
  // Without a zone.
  if (caller instanceof ipaddr.IPv6) return { address: new ipaddr.IPv6(caller.parts).toString(), family: 'ipv6' };
  return { address: caller.toString(), family: 'ipv4' };
}

function callerOf(request: IncomingMessage, trustedHops: number): Address | undefined {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  let address = readAddress(request.socket.remoteAddress ?? '');
  for (let hop = 1; hop <= trustedHops; hop += 1) {
    const named = readAddress(forwarded.at(-hop) ?? '');
    if (!named) break;
    address = named;
  }
  return address;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Some proxies add the port: `1.2.3.4:5678`, `[::1]:5678`. */
function readAddress(written: string): Address | undefined {
  const text = written.trim();
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function visitorKey(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
