import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkers, createQuotes, withoutMarkers } from '../../server/answer/cite.ts';
import type { Found } from '../../server/knowledge/knowledge.ts';

const passage = (n: number, text: string): Found =>
  ({
    source: { uuid: `${n}`.repeat(32), title: `Page ${n}`, file_name: `https://shop.test/${n}`, type: 'link' },
    headings: [],
    text,
    score: 1,
  }) as unknown as Found;

const given = [passage(1, 'Thirty days.'), passage(2, 'Free of charge.')];

function streamed(parts: string[], found: Found[]): { text: string; keys: string[] } {
  const markers = createMarkers(found);
  const text = parts.map((part) => markers.pass(part)).join('') + markers.rest();
  return { text, keys: Object.keys(markers.citations()) };
}

describe('markers in a model’s text', () => {
  it('keeps those that point at a passage that was given, and cites just these', () => {
    expect(streamed(['Thirty days [2].'], given)).toEqual({ text: 'Thirty days [2].', keys: ['2'] });
  });

  it('takes out those that point at nothing, with the space before them', () => {
    expect(streamed(['Thirty days [7] and [0] more [1.5].'], given)).toEqual({
      text: 'Thirty days and more.',
      keys: [],
    });
  });

  it('takes out all where the chatbot shows no citations', () => {
    expect(streamed(['Thirty [1] days [2].'], [])).toEqual({ text: 'Thirty days.', keys: [] });
  });

  it('are found at once in a long stretch of white space', () => {
    const white = ' '.repeat(200_000);
    const began = performance.now();
    expect(streamed([`Thirty${white}days${white}[1].`], given).text).toBe(`Thirty${white}days${white}[1].`);
    expect(withoutMarkers(`Thirty${white}days${white}[1].`)).toBe(`Thirty${white}days.`);
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('are not waited for in white space without end, and are found after it', () => {
    const markers = createMarkers(given);
    const pieces = Array.from({ length: 30_000 }, () => markers.pass('          '));
    expect(pieces.filter(Boolean).length).toBeGreaterThan(100);
    expect([...'[7] [1'].map((sign) => markers.pass(sign)).join('') + markers.pass('].')).toMatch(/^ *\[1\]\.$/);
  });

  it('leaves other brackets alone', () => {
    const text = 'See [the page](https://shop.test) and a[i] or [x].';
    expect(streamed([text], given).text).toBe(text);
  });

  it('decides the same wherever the text is cut', () => {
    const text = 'One [1] two [9], three [12][2] [ [1';
    const whole = streamed([text], given);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 10 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const parts = at.slice(1).map((end, i) => text.slice(at[i], end));
        expect(streamed(parts, given)).toEqual(whole);
      }),
    );
  });

  it('cites the passage word for word, in exactly five strings', () => {
    const markers = createMarkers(given);
    markers.pass('So [1].');
    expect(markers.citations()).toEqual({
      1: {
        data_source_uuid: '1'.repeat(32),
        title: 'Page 1',
        text: 'Thirty days.',
        file_name: 'https://shop.test/1',
        type: 'link',
      },
    });
  });
});

describe('markers of quoted sentences', () => {
  it('number passages as they are quoted and cite the span from the first to the last sentence', () => {
    const found = [passage(1, 'A first. A second. A third. A fourth.'), passage(2, 'Elsewhere.')];
    const quotes = createQuotes(found);
    const marks = [quotes.mark(1, 'Elsewhere.'), quotes.mark(0, 'A third.'), quotes.mark(0, 'A second.')];
    expect(marks).toEqual(['[1]', '[2]', '[2]']);
    expect(quotes.citations()['2']?.text).toBe('A second. A third.');
  });

  it('are two for two items of one list, so that no quote runs from the one into the other', () => {
    const found = [passage(1, 'You need:\n- the order number\n- the bag')];
    const quotes = createQuotes(found);
    expect([quotes.mark(0, 'the bag'), quotes.mark(0, 'the order number')]).toEqual(['[1]', '[2]']);
    expect(Object.values(quotes.citations()).map(({ text }) => text)).toEqual(['the bag', 'the order number']);
  });

  it('are not confused by a footnote of the source’s own', () => {
    expect(withoutMarkers('Founded in 1990 [3] in Leeds[12].')).toBe('Founded in 1990 in Leeds.');
  });
});
