import fc from '../random.ts';
import { expect, test } from 'vitest';
import { createSseParser } from '../../widget/client/sse-parser.ts';
import { answerEvents, citation, messageRecord, encodeEvents } from './fake-server.ts';

const events = answerEvents(
  messageRecord('Frage?', 'Grüße — 日本語 👋🏽 fin\u2028\u2029 [1].', { 1: citation({ text: 'zwei\nZeilen' }) }),
);
const bytes = new TextEncoder().encode(encodeEvents(events));

function readPieces(pieces: Uint8Array[]): unknown[] {
  const decoder = new TextDecoder();
  const read = createSseParser();
  return pieces.flatMap((piece) => read(decoder.decode(piece, { stream: true })));
}

function plain(list: unknown[]): unknown[] {
  return list.map((event) => {
    const { event: name, data, id } = event as { event: string; data: unknown; id?: number };
    return name === 'delta' ? { event: name, data, id } : { event: name, data };
  });
}

test('a stream split at any byte gives the same events', () => {
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(plain(readPieces([bytes.slice(0, cut), bytes.slice(cut)]))).toEqual(plain(events));
  }
});

test('a stream split into chunks of any size gives the same events', () => {
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 40 });
  fc.assert(
    fc.property(cuts, (places) => {
      const sorted = [0, ...places.toSorted((a, b) => a - b), bytes.length];
      const pieces = sorted.slice(1).map((end, at) => bytes.slice(sorted[at], end));
      expect(plain(readPieces(pieces))).toEqual(plain(events));
    }),
    { numRuns: 60 },
  );
});

test('CRLF line ends are parsed, wherever chunks end', () => {
  const text = encodeEvents(events).replaceAll('\n', '\r\n');
  for (let cut = 0; cut <= text.length; cut++) {
    const read = createSseParser();
    expect(plain([...read(text.slice(0, cut)), ...read(text.slice(cut))])).toEqual(plain(events));
  }
});

test('skips comments and empty events, and throws on invalid JSON', () => {
  const read = createSseParser();
  expect(read(': hello\n\nevent: news\n\nid: 3\n\n:\n\n')).toEqual([]);
  expect(() => read('event: done\ndata: <html>\n\n')).toThrow();
});
