import { describe, expect, test } from 'vitest';
import { yesOrNo } from '../../server/agents/collect/yes-no.ts';

/** Values of variables are set by this: what says both, or neither clearly, sets none. */
const REPLIES: Record<'yes' | 'no' | 'neither', string[]> = {
  yes: [
    'yes',
    'Yes, please',
    'no problem, yes',
    'sure thing',
    'no, wait, yes',
    'no, I mean yes',
    'sure, why not',
    'yes, no problem',
    'ja',
    'klar, kein Problem',
    'kein Problem, ja',
    'sí, claro',
    'ja, kein Grill',
    'Yes, I am not happy',
    'absolutely',
    'claro',
    'ja tack',
    'ja, wieso nicht',
    'oui, pas de problème',
    'sì',
    'да',
    'はい',
    '是',
  ],
  no: [
    'no',
    'no, thanks',
    'no thank you',
    'yes, wait, no',
    'of course not',
    'absolutely not',
    'certainly not',
    'nein danke',
    'sicher nicht',
    'no, gracias',
    'claro que no',
    'non merci',
    'bien sûr que non',
    'nej tack',
    'no, grazie',
    'certo che no',
    'нет, спасибо',
    'いいえ',
    '不是',
    'nie, dziękuję',
  ],
  neither: [
    'not yes',
    'yes... no wait',
    'yes no',
    'no yes',
    'yes but no',
    'yes and no',
    'maybe',
    'yes or no?',
    'not sure',
    'no idea',
    'no doubt',
    'not now',
    'okay no',
    'ja nein',
    'jein',
    'ja, aber nein',
    'sí pero no',
    'oui et non',
    'bien sûr',
    'нет, но да',
    'igen, nem',
    'yes, but not today',
    'of course',
    'nein, ja',
    'sì e no',
    'да нет',
    'はい、いいえ',
    'tak, nie',
  ],
};

describe('a reply to a question', () => {
  test.each(REPLIES.yes)('is a yes: %s', (reply) => {
    expect(yesOrNo(reply)).toBe(true);
  });

  test.each(REPLIES.no)('is a no: %s', (reply) => {
    expect(yesOrNo(reply)).toBe(false);
  });

  test.each(REPLIES.neither)('is neither: %s', (reply) => {
    expect(yesOrNo(reply)).toBeUndefined();
  });
});
