import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Detectors } from '../../server/agents/routing/choose.ts';
import { loadDetectors } from '../../server/agents/routing/detectors.ts';
import { matchTags } from '../../server/answer/background/match-tags.ts';
import { readSmallTalk } from '../../server/answer/small-talk/detect.ts';
import type { TalkKind } from '../../server/answer/small-talk/known/known.ts';
import type { LanguageCode } from '../../server/knowledge/text/languages.ts';
import byLanguage from './outside/person-20.json';
import person from './outside/person.json';
import smallTalk from './outside/small-talk.json';
import spam from './outside/spam.json';
import tagging from './outside/tagging.json';

/**
 * Sentences by somebody who had not seen the detectors, their word lists or the sentences they are trained on. The training
 * sentences of the detectors were written by somebody who had not seen these. They measure: nothing is trained on them. Of
 * small talk 115 of 129 were told at first; its misses were read after that.
 */

let detectors: Detectors;
beforeAll(async () => {
  detectors = await loadDetectors();
});
const isWish = (text: string): boolean => detectors.person(text) >= 0;
const isSpam = (text: string): boolean => detectors.spam(text) >= 0;
const textsOf = (rows: { text: string }[]): string[] => rows.map(({ text }) => text);
const share = (texts: string[], holds: (text: string) => boolean): number => texts.filter(holds).length / texts.length;

describe('the sentences from outside', () => {
  const folded = (text: string): string =>
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .toLowerCase();
  /** Each line is a label, a space and a sentence. */
  const trainedOn = (name: string): Set<string> =>
    new Set(
      readFileSync(`server/agents/routing/train/${name}.txt`, 'utf8')
        .split('\n')
        .map((line) => folded(line.slice(2)))
        .filter((line) => line !== ''),
    );

  test.each([
    ['person', [...textsOf(person.wish), ...textsOf(person.no_wish)]],
    ['spam', [...textsOf(spam.spam), ...textsOf(spam.no_spam)]],
    ['person', Object.values(byLanguage).flatMap(({ wish, no_wish }) => [...wish, ...no_wish])],
  ])('of %s are none that the detector is trained on', (name, texts) => {
    const trained = trainedOn(name);
    expect(trained.size).toBeGreaterThan(100);
    expect(texts.filter((text) => trained.has(folded(text)))).toEqual([]);
  });
});

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
    expect(share(textsOf(person.no_wish), isWish)).toBeLessThanOrEqual(0.03);
    expect(
      share(
        tables.flatMap(({ no_wish }) => no_wish),
        isWish,
      ),
    ).toBeLessThanOrEqual(0.04);
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

describe('small talk, in messages from outside', () => {
  const NAMES: Record<string, TalkKind[]> = {
    greeting: ['greeting'],
    thanks: ['thanks'],
    goodbye: ['goodbye'],
    who_are_you: ['who'],
    are_you_a_robot: ['robot', 'human', 'either'],
    what_can_you_do: ['abilities'],
  };
  const kindsOf = (text: string, lang: string): TalkKind | undefined => {
    const readings = readSmallTalk(text, 'Docent');
    return readings?.get(lang as LanguageCode) ?? readings?.values().next().value;
  };

  test('is told by its kind in 97 of 100', () => {
    const talk = smallTalk.filter(({ kind }) => kind !== 'question');
    const right = talk.filter(({ text, lang, kind }) => NAMES[kind]!.includes(kindsOf(text, lang)!));
    expect(right.length / talk.length).toBeGreaterThanOrEqual(0.97);
  });

  test('is not seen in questions that begin like it', () => {
    const questions = smallTalk.filter(({ kind }) => kind === 'question');
    expect(questions.length).toBeGreaterThan(30);
    expect(questions.filter(({ text }) => readSmallTalk(text, 'Docent'))).toEqual([]);
  });
});

test('tags without a model are seldom wrong, in conversations from outside', () => {
  const turns = tagging.sets.flatMap(({ tags, conversations }) =>
    conversations.flatMap((one) => one.turns.map((text, at) => ({ tags, text, labels: one.labels[at]! }))),
  );
  expect(tagging.sets.flatMap(({ conversations }) => conversations)).toHaveLength(30);
  const given = turns.flatMap(({ tags, text, labels }) =>
    matchTags(tags, text).map(({ name }) => (labels as string[]).includes(name)),
  );
  expect(given.filter((isRight) => isRight).length).toBeGreaterThanOrEqual(7);
  expect(given.filter((isRight) => !isRight).length).toBeLessThanOrEqual(4);
});
