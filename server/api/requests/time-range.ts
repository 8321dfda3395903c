import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';

/** The time range of a list. */

const Timestamp = Type.String({
  description:
    'Bound of `created_at`, inclusive, in whole seconds: ISO 8601 (UTC where it names no zone; a date alone is the whole day) or seconds since 1970.',
});

export const TimeRangeQuery = Type.Object({
  start_timestamp: Type.Optional(Timestamp),
  end_timestamp: Type.Optional(Timestamp),
});

/** Returns a predicate: whether a `created_at` is within the bounds of the query, inclusive. */
export function createTimeFilter(query: ParsedUrlQuery): (createdAt: string) => boolean {
  const start = readBound(query, 'start_timestamp', '00:00:00');
  // A date without a time as the end means the end of that day.
  const end = readBound(query, 'end_timestamp', '23:59:59');
  return (createdAt) => (start === undefined || createdAt >= start) && (end === undefined || createdAt <= end);
}

/** In the form of `created_at`, so that bounds compare as strings. */
function readBound(
  query: ParsedUrlQuery,
  name: keyof typeof TimeRangeQuery.properties,
  hour: string,
): string | undefined {
  const written = query[name];
  if (written === undefined) return undefined;
  const ms = typeof written === 'string' ? parseTimestamp(written, hour) : Number.NaN;
  // Outside these years toISOString has another form. Milliseconds sent as seconds fall outside too.
  if (!(ms >= MIN_MS && ms <= MAX_MS)) {
    throw invalid(name, `${name} must be an ISO 8601 time such as 2026-01-31T09:30:00Z, or seconds since 1970`);
  }
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const MIN_MS = Date.parse('0000-01-01T00:00:00Z');
const MAX_MS = Date.parse('9999-12-31T23:59:59Z');

/** Milliseconds since 1970, NaN if invalid; a date without a time is taken at `hour`. */
function parseTimestamp(written: string, hour: string): number {
  if (/^-?\d{1,12}(\.\d+)?$/.test(written)) return Math.floor(Number(written)) * 1000;
  const [, day, minute, second = ':00', zone = 'Z'] = ISO_TIME.exec(written) ?? [];
  const text = `${day}T${minute === undefined ? hour : minute + second}`;
  const ms = Date.parse(`${text}Z`);
  // `Date` accepts February 30 and hour 24 and normalises them: a different result means an invalid time.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== text) return Number.NaN;
  return ms - offsetOf(zone);
}

/** The sign may be a space: an unescaped `+` in a query. Fractions of a second are dropped. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?:(:\d\d)(?:[.,]\d+)?)?([Zz]|[-+ ]\d\d(?::?\d\d)?)?)?$/;

function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([-+ ])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
}

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

/** The days `from` and `to` of a query, both included; where they are not named, `today` and what `firstOf` gives for the last one. */
export function readDays(
  query: ParsedUrlQuery,
  today: string,
  firstOf: (last: string) => string,
): { from: string; to: string } {
  const to = readDay('to', query['to']) ?? today;
  const from = readDay('from', query['from']) ?? firstOf(to);
  if (from > to) throw invalid('from', 'from must not be after to');
  if (Date.parse(to) - Date.parse(from) >= MAX_DAYS * DAY_MS)
    throw invalid('from', `from must be at most ${MAX_DAYS} days before the day after to`);
  return { from, to };
}

const Day = (description: string) =>
  Type.Optional(Type.String({ description: `${description}, \`YYYY-MM-DD\` in UTC.` }));

export const DayQuery = Type.Object({ from: Day('First day'), to: Day('Last day') });

/** The days that narrow a list, both included; an empty one is none. */
export function readDayRange(query: ParsedUrlQuery): { from?: string; to?: string } {
  const [from, to] = [readDay('from', query['from'] || undefined), readDay('to', query['to'] || undefined)];
  if (from && to && to < from) throw invalid('to', 'to must not be before from');
  return { ...(from && { from }), ...(to && { to }) };
}

function readDay(name: 'from' | 'to', written: ParsedUrlQuery[string]): string | undefined {
  if (written === undefined) return undefined;
  const isDay = typeof written === 'string' && /^\d{4}-\d\d-\d\d$/.test(written);
  const ms = isDay ? Date.parse(`${written}T00:00:00Z`) : Number.NaN;
  // `Date` takes February 30 for a day in March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== written)
    throw invalid(name, `${name} must be a day such as 2026-01-31`);
  return written;
}
