import fc from '../random.ts';
import { describe, expect, it } from 'vitest';
import { Thinking, withoutThinking } from '../../server/model/thinking.ts';

function shown(pieces: string[]): string {
  const thinking = new Thinking();
  return pieces.map((piece) => thinking.pass(piece)).join('') + thinking.rest();
}

/** Cut at one place, at every two places, and into single units. */
function* splits(text: string): Generator<string[]> {
  for (let a = 0; a <= text.length; a++) {
    for (let b = a; b <= text.length; b++) yield [text.slice(0, a), text.slice(a, b), text.slice(b)];
  }
  yield [...text].flatMap((sign) => sign.split(''));
}

const ANSWERS: [what: string, text: string, answer: string][] = [
  ['a block before the answer', '<think>Hm, "<b>" 3 < 4…</think>You may. [1]', 'You may. [1]'],
  ['white space around it', '\n <think>\nHm\n</think>\n\nYou may.', 'You may.'],
  ['the longer tag', '<thinking>a </think> b</thinking>You may.', 'You may.'],
  ['capitals', '<Think>İ</THINK>Yes.', 'Yes.'],
  ['several blocks', '<think></think>\n<thinking>b</thinking> <think>c</think>Yes.', 'Yes.'],
  ['one that is never closed', '<think>I wonder </thin whether', ''],
  ['one within the answer', 'The tag <think>x</think> is one.', 'The tag <think>x</think> is one.'],
  ['one in code', '`<think>` opens it.', '`<think>` opens it.'],
  ['a second one after the answer began', '<think>a</think>One <think>b</think>.', 'One <think>b</think>.'],
  ['another tag', '<thinker>x</thinker>', '<thinker>x</thinker>'],
  ['the beginning of a tag alone', '<thin', '<thin'],
  ['a sign', '< 5', '< 5'],
  ['a closing tag alone', '</think>Yes.', '</think>Yes.'],
  ['other scripts', '<think>İstanbul 防水 🏳️‍🌈</think>防水🏳️‍🌈', '防水🏳️‍🌈'],
];

describe('a model’s reasoning', () => {
  it.each(ANSWERS)('%s: the same answer however the text is split', (_, text, answer) => {
    for (const pieces of splits(text)) expect(shown(pieces).trimStart()).toBe(answer);
  });

  it('is removed, and all other text is kept, for any text in any pieces', () => {
    const text = fc.string({
      unit: fc.constantFrom('<', '/', '>', 't', 'think', 'ing', ' ', 'a', '</think>', '<think>'),
    });
    fc.assert(
      fc.property(fc.array(text), fc.string(), (pieces, after) => {
        const whole = pieces.join('');
        expect(shown(pieces).trimStart()).toBe(withoutThinking(whole).trimStart());
        // The pieces may close the block and open one of the other name.
        expect(shown(['<think>', ...pieces, '</think></thinking>', `x${after}`])).toContain(`x${after}`);
      }),
      { examples: [[['</think><thinking>'], '']] },
    );
  });

  it('is not looked for once the answer has begun: pieces are passed on unchanged', () => {
    const thinking = new Thinking();
    expect(thinking.pass('Yes')).toBe('Yes');
    for (const piece of ['<think>', ' ', '</think>']) expect(thinking.pass(piece)).toBe(piece);
  });

  it('without a closing tag buffers a few characters only', () => {
    const thinking = new Thinking();
    const pieces = [' ', '<think>', '</thin'].flatMap((piece) => Array.from({ length: 10_000 }, () => piece));
    expect(pieces.map((piece) => thinking.pass(piece)).join('')).toBe('');
    expect(thinking.rest()).toBe('');
  });
});
