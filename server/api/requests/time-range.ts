import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';

/** The time range of a list. */

const Moment = Type.String({
  description:
    'Bound of `created_at`, inclusive, in whole seconds: ISO 8601 (UTC where it names no zone; a date alone is the whole day) or seconds since 1970.',
});

export const Period = Type.Object({
  start_timestamp: Type.Optional(Moment),
  end_timestamp: Type.Optional(Moment),
});

type Query = Record<string, string | string[] | undefined>;

/** Says of a `created_at` whether it lies within the period that the query names. */
export function within(query: Query): (createdAt: string) => boolean {
  const start = shownSecond(query, 'start_timestamp', '00:00:00');
  // A day alone is the whole of that day.
  const end = shownSecond(query, 'end_timestamp', '23:59:59');
  return (createdAt) => (start === undefined || createdAt >= start) && (end === undefined || createdAt <= end);
}

/** In the form of `created_at`, which sorts as text does. */
function shownSecond(query: Query, name: keyof typeof Period.properties, hour: string): string | undefined {
  const written = query[name];
  if (written === undefined) return undefined;
  const ms = typeof written === 'string' ? readMoment(written, hour) : Number.NaN;
  // Beyond these years the text has another form. Milliseconds taken for seconds lie there too.
  if (!(ms >= FIRST && ms <= LAST)) {
    throw invalid(name, `${name} must be an ISO 8601 time such as 2026-01-31T09:30:00Z, or seconds since 1970`);
  }
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

/** In milliseconds, NaN where it is none; a day alone is taken at `hour`. */
function readMoment(written: string, hour: string): number {
  if (/^-?\d{1,12}(\.\d+)?$/.test(written)) return Math.floor(Number(written)) * 1000;
  const [, day, minute, second = ':00', zone = 'Z'] = ISO.exec(written) ?? [];
  const text = `${day}T${minute === undefined ? hour : minute + second}`;
  const ms = Date.parse(`${text}Z`);
  // The 30th of February and the hour 24 are days and hours to `Date`, but come out as others.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== text) return Number.NaN;
  return ms - offsetOf(zone);
}

/** A `+` that was not escaped arrives as a space. Fractions of a second are left out. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?:(:\d\d)(?:[.,]\d+)?)?([Zz]|[-+ ]\d\d(?::?\d\d)?)?)?$/;

function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([-+ ])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
}
