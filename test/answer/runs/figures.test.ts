import pino from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FigureCounts } from '../../../server/answer/runs/figures.ts';
import { Refusal } from '../../../server/schema/errors.ts';
import type { Figures } from '../../../server/store/shared/figures.ts';
import { aChatbot, aMessage } from '../../store/records.ts';

/** What is counted of ratings and questions, until it is stored. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const chatbot = aChatbot('a'.repeat(32));
const meta = (page: string) => JSON.stringify({ active_agent: { uuid: 'b'.repeat(32), name: '' }, page });
/** The visitor's vote on an answer of that page. */
const rate = (counts: FigureCounts, page: string) => {
  const before = aMessage('c'.repeat(32), { meta_json: meta(page) });
  counts.rated(chatbot, { ...before, feedback_json: '{"rating":1}' }, before);
};
const counting = (addFigures: (figures: readonly Figures[]) => Promise<void>) =>
  new FigureCounts({ store: { addFigures }, log: pino({ level: 'silent' }) });
const votes = (figures: readonly Figures[]) =>
  figures.filter(({ by }) => by === '').reduce((sum, { rated_up }) => sum + rated_up, 0);

it('stores what was counted within two seconds, all in one', async () => {
  const stored: (readonly Figures[])[] = [];
  const counts = counting(async (figures) => void stored.push(figures));
  for (let vote = 0; vote < 3; vote++) rate(counts, 'shop.example/');
  await vi.advanceTimersByTimeAsync(2000);
  expect(stored.map(votes)).toEqual([3]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stored).toHaveLength(1);
});

it('stores a flood of refused questions once in two seconds, by their day alone', async () => {
  const stored: (readonly Figures[])[] = [];
  const counts = counting(async (figures) => void stored.push(figures));
  for (let request = 0; request < 50_000; request++) counts.refused(chatbot, '2026-02-01');
  await vi.advanceTimersByTimeAsync(1999);
  expect(stored).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  const { uuid } = chatbot;
  expect(stored).toMatchObject([[{ chatbot: uuid, day: '2026-02-01', by: '', name: '', asked: 0, refused: 50_000 }]]);
});

it('keeps what cannot be stored yet, bounded, and stores it once that is possible', async () => {
  const stored: (readonly Figures[])[] = [];
  let isAway = true;
  const counts = counting(async (figures) => {
    if (isAway) throw new Refusal('unavailable', 'the database is away');
    stored.push(figures);
  });
  for (let page = 0; page < 20_000; page++) {
    rate(counts, `shop.example/${page}`);
    if (page % 5000 === 0) await vi.advanceTimersByTimeAsync(2000);
  }
  expect(stored).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2000);
  expect(stored.map(votes)).toEqual([20_000]);
  expect(stored[0]!.length).toBeLessThan(6000);
  const ofPages = stored[0]!.filter(({ by }) => by === 'page');
  expect(ofPages.reduce((sum, { rated_up }) => sum + rated_up, 0)).toBe(20_000);
});

it('counts nothing twice where it may have been stored', async () => {
  const tried: number[] = [];
  const counts = counting(async (figures) => {
    tried.push(votes(figures));
    if (tried.length === 1) throw new Refusal('unavailable', 'the connection was lost', { mayBeStored: true });
  });
  rate(counts, 'shop.example/');
  await vi.advanceTimersByTimeAsync(2000);
  rate(counts, 'shop.example/');
  await vi.advanceTimersByTimeAsync(2000);
  expect(tried).toEqual([1, 1]);
});
