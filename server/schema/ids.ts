import { createHmac, randomUUID } from 'node:crypto';
import type { TObject } from 'typebox';

/** What every record has: an identifier and two timestamps. */

/** Milliseconds since 1970, as `Date.now`; a fake in tests. */
export type Clock = () => number;

/** 32 digits, 122 bits of chance. Node draws those of many at a time: bytes for each alone cost a call of the system. */
export const newUuid = (): string => randomUUID().replaceAll('-', '');

/** An identifier as a caller wrote it, dashes allowed; undefined where it can be none. */
export function readUuid(written: string): string | undefined {
  if (written.length > 40) return undefined;
  const bare = written.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(bare) ? bare : undefined;
}

/** The same 32 digits for the same parts, unguessable without the secret. */
export function derivedUuid(secret: string, ...parts: string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * A message's identifier starts with eight digits of its session's, so that a message is found from its own
 * identifier without an index of all messages. The other 24 digits of the session stay secret.
 */
export const messageUuid = (session: string, rest: string = newUuid()): string =>
  session.slice(0, 8) + rest.slice(0, 24);

/** `YYYY-MM-DDTHH:MM:SSZ`. */
export const timestamp = (clock: Clock): string => `${new Date(clock()).toISOString().slice(0, 19)}Z`;

const DAY_MS = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Days are in UTC, `YYYY-MM-DD`. */
export const daysBefore = (day: string, days: number): string => dayOf(Date.parse(day) - days * DAY_MS);

/** The first day of the week of a time in milliseconds. */
export const mondayOf = (ms: number): string => dayOf(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS);

/** The next `modified_at`: now, or a second later than the last where that second has not passed. */
export function nextModifiedAt(modifiedAt: string, clock: Clock): string {
  const now = timestamp(clock);
  return now > modifiedAt ? now : timestamp(() => Date.parse(modifiedAt) + 1000);
}

/** The keys of the schema and no others, in its order. */
export function view<T>(schema: TObject, stored: object): T {
  const from = stored as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(schema.properties)) if (key in from) out[key] = from[key];
  return out as T;
}
