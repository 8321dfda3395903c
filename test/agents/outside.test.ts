import { beforeAll, describe, expect, test } from 'vitest';
import type { Detectors } from '../../server/agents/routing/choose.ts';
import { loadDetectors } from '../../server/agents/routing/detectors.ts';
import byLanguage from './outside/person-20.json';
import person from './outside/person.json';
import spam from './outside/spam.json';

/**
 * Sentences by somebody who had not seen the detectors, their word lists or the sentences they are trained on. The training
 * sentences of the detectors were written by somebody who had not seen these. They measure: nothing is trained on them.
 */

let detectors: Detectors;
beforeAll(async () => {
  detectors = await loadDetectors();
});
const isWish = (text: string): boolean => detectors.person(text) >= 0;
const isSpam = (text: string): boolean => detectors.spam(text) >= 0;
const textsOf = (rows: { text: string }[]): string[] => rows.map(({ text }) => text);
const share = (texts: string[], holds: (text: string) => boolean): number => texts.filter(holds).length / texts.length;

describe('a wish for a person, in sentences from outside', () => {
  const tables = Object.values(byLanguage);

  test('is found in nine of ten', () => {
    expect(share(textsOf(person.wish), isWish)).toBeGreaterThanOrEqual(0.9);
    expect(
      share(
        tables.flatMap(({ wish }) => wish),
        isWish,
      ),
    ).toBeGreaterThanOrEqual(0.9);
  });

  test('is seldom seen in near misses', () => {
    expect(share(textsOf(person.no_wish), isWish)).toBeLessThanOrEqual(0.02);
    expect(
      share(
        tables.flatMap(({ no_wish }) => no_wish),
        isWish,
      ),
    ).toBeLessThanOrEqual(0.07);
    expect(share(textsOf(spam.no_spam), isWish)).toBeLessThanOrEqual(0.02);
  });
});

describe('spam, in sentences from outside', () => {
  test('is found in two of three', () => {
    expect(share(textsOf(spam.spam), isSpam)).toBeGreaterThanOrEqual(0.67);
  });

  test('is not seen in near misses or in wishes for a person', () => {
    expect(textsOf(spam.no_spam).filter(isSpam)).toEqual([]);
    expect(share(textsOf(person.wish), isSpam)).toBeLessThanOrEqual(0.01);
  });
});
