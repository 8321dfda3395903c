import type { Counted } from './counted.ts';
import { secondsOf } from './units.ts';

/** Whether the numbers of a claim count what those of its passage do. */

/** Small numbers in words may be counted rather than read: “three of them”. */
const MAX_SMALL = 12;
/** Letters that two forms of a noun begin with, and that may follow in each. */
const [MIN_SAME, MAX_ENDING] = [4, 2];
/** Of two lengths of time that are the same: a year is twelve months. */
const TOLERANCE = 0.001;

/** Whether something in the passage is counted so: “a month” and “30 minutes” for “1 month” and “half an hour”. */
export const isCounted = (one: Counted, passage: Counted[]): boolean =>
  passage.some((other) => (other.value === one.value && countsSame(one, other)) || lastsAsLong(one, other));

/** Whether the claim counts another number or unit of something than the passage. `isThere`: whether a number is anywhere in it. */
export function countsOther(claim: Counted[], passage: Counted[], isThere: (value: number) => boolean): boolean {
  return claim.some((one) => {
    if (one.kind === 'bare' || isCounted(one, passage)) return false;
    const alike = passage.filter((other) => countsSame(one, other));
    if (one.kind === 'article') return one.unit !== undefined && alike.length > 0 && alike.every(isWritten);
    if (one.kind === 'ordinal') return alike.some(({ kind }) => kind === 'ordinal');
    if (isThere(one.value)) return hasOtherUnit(one, passage);
    return one.kind === 'words' && (one.value > MAX_SMALL || alike.some((other) => isWritten(other) || isUnit(other)));
  });
}

const isWritten = ({ kind }: Counted): boolean => kind !== 'article' && kind !== 'bare';
const isUnit = ({ kind, unit }: Counted): boolean => kind === 'article' && unit !== undefined;

/** Whether the number has another unit wherever it stands in the passage. */
function hasOtherUnit({ value, unit }: Counted, passage: Counted[]): boolean {
  const places = passage.filter((other) => other.value === value && isWritten(other));
  return unit !== undefined && places.length > 0 && places.every((other) => other.unit !== undefined);
}

const countsSame = (one: Counted, other: Counted): boolean =>
  one.unit !== undefined || other.unit !== undefined ? one.unit === other.unit : areForms(one.noun, other.noun);

function areForms(one: string, other: string): boolean {
  if (one === other) return one !== '';
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same >= MIN_SAME && Math.max(one.length, other.length) - same <= MAX_ENDING;
}

function lastsAsLong(one: Counted, other: Counted): boolean {
  const [mine, theirs] = [one, other].map(({ value, unit }) => value * (unit ? (secondsOf(unit) ?? NaN) : NaN));
  return Math.abs(mine! - theirs!) <= TOLERANCE * mine!;
}
