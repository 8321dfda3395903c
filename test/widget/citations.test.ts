import { expect, test } from 'vitest';
import { readCitations } from '../../widget/browser/citations.ts';
import { elements } from '../../widget/view/elements.ts';
import { linkCitation } from '../../widget/view/sources/quote-link.ts';
import { citation } from './fake-server.ts';

const addressOf = (text: string, file_name = 'https://shop.test/returns'): string | undefined =>
  linkCitation(citation({ text, file_name }), elements.parseSafe).href;

test('a short quote is a text fragment of all its words', () => {
  expect(addressOf('You have 45 days.')).toBe('https://shop.test/returns#:~:text=You%20have%2045%20days.');
});

test('dashes, commas and ampersands of a quote are percent-encoded', () => {
  expect(addressOf('pick-up, drop & go')).toBe('https://shop.test/returns#:~:text=pick%2Dup%2C%20drop%20%26%20go');
});

test('a long quote, or one across lines, is a text fragment of its start and end', () => {
  expect(addressOf('one two three four five six seven eight nine ten eleven twelve')).toBe(
    'https://shop.test/returns#:~:text=one%20two%20three%20four%20five,eight%20nine%20ten%20eleven%20twelve',
  );
  expect(addressOf('Heading\n\nand words')).toBe('https://shop.test/returns#:~:text=Heading,and%20words');
});

test('an address that has a fragment keeps it', () => {
  expect(addressOf('x', 'https://shop.test/returns#refunds')).toBe('https://shop.test/returns#refunds:~:text=x');
});

test('a citation that is not a web page has no address', () => {
  for (const name of [
    'handbook.pdf',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.test',
    'https://',
  ]) {
    expect(addressOf('x', name)).toBeUndefined();
  }
});

test('a malformed citation record gives no citations', () => {
  for (const json of ['', 'null', '[]', '{"1":null}', '{"1":{"title":1}}', '"x"'])
    expect(readCitations(json)).toEqual({});
  expect(readCitations(JSON.stringify({ 1: citation(), 2: {} }))).toEqual({ 1: citation() });
});

test('half a character of a quote is left out of its address', () => {
  expect(addressOf('good \ud83d')).toBe('https://shop.test/returns#:~:text=good');
  expect(addressOf('good \ud83d\ude00')).toBe('https://shop.test/returns#:~:text=good%20%F0%9F%98%80');
});
