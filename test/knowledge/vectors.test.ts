import { describe, expect, it } from 'vitest';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { rowOf, Vectors } from '../../server/knowledge/search/meaning/vectors.ts';

const DIMENSIONS = 48;

/** The same directions each time. */
function directions(count: number): Float32Array[] {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from({ length: DIMENSIONS }, random);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

const vectorsOf = (all: Float32Array[]): Vectors => {
  const vectors = new Vectors(DIMENSIONS, (slot) => slot);
  for (const [slot, vector] of all.entries()) vectors.set(slot, rowOf(vector));
  return vectors;
};

describe('vectors', () => {
  it('keep directions in bytes to a hundredth', () => {
    const [asked, ...all] = directions(300);
    const vectors = vectorsOf(all);
    for (const [slot, vector] of all.entries())
      expect(vectors.cosine(slot, asked!)).toBeCloseTo(dot(vector, asked!), 2);
    expect(vectors.cosine(300, asked!)).toBe(0);
    expect(vectors.size).toBe(299);
  });

  it('find the nearest, of all or of some', () => {
    const [asked, ...all] = directions(500);
    const order = all.map((vector, slot) => [slot, dot(vector, asked!)] as const).sort((a, b) => b[1] - a[1]);
    const vectors = vectorsOf(all);
    expect(vectors.nearest(asked!, 3)).toEqual(order.slice(0, 3).map(([slot]) => slot));
    const odd = Uint8Array.from(all, (_, slot) => slot % 2);
    expect(vectors.nearest(asked!, 3, odd)).toEqual(
      order
        .filter(([slot]) => slot % 2)
        .slice(0, 3)
        .map(([slot]) => slot),
    );
    expect(new Vectors(DIMENSIONS, (slot) => slot).nearest(asked!, 3)).toEqual([]);
  });

  it('find what is near among so many that most are told by their signs alone', () => {
    const [asked, other, ...all] = directions(6000);
    const vectors = vectorsOf(all);
    const near = asked!.map((value, at) => value + other![at]! / 2);
    for (const slot of [17, 4321]) vectors.set(slot, rowOf(near));
    expect(vectors.nearest(asked!, 2)).toEqual([17, 4321]);
    vectors.drop(17);
    expect(vectors.nearest(asked!, 1)).toEqual([4321]);
    expect(vectors.nearest(asked!, 2, new Uint8Array(6000).fill(1, 5000))).not.toContain(4321);
  });

  it('tell how much nearer than usual one is, whatever the scale of the cosines', () => {
    const [asked, ...all] = directions(400);
    const near = asked!.map((value, at) => value + 0.5 * all[0]![at]!);
    const own = near.map((value) => value / Math.hypot(...near));
    // As of a model whose vectors all point one way: cosines of .8 and more.
    const skewed = [asked!, own, ...all].map((vector) => {
      const pushed = vector.map((value, at) => value + (at === 0 ? 2 : 0));
      return pushed.map((value) => value / Math.hypot(...pushed));
    });
    for (const [question, ...others] of [[asked!, own, ...all], skewed] as [Float32Array, ...Float32Array[]][]) {
      const vectors = vectorsOf(others);
      const standing = vectors.standingTo(question);
      const likeness = (cosine: number) => standing(cosine).likeness;
      expect(likeness(vectors.cosine(0, question))).toBeGreaterThan(1);
      const cosines = others.slice(1).map((_, at) => likeness(vectors.cosine(at + 1, question))!);
      expect(cosines.filter((one) => one > 0).length).toBeLessThan(10);
    }
  });

  it('tell nothing of it where they are few, or all the same', () => {
    const [asked, ...all] = directions(60);
    expect(vectorsOf(all.slice(0, 10)).standingTo(asked!)(0.9).likeness).toBeUndefined();
    expect(vectorsOf(all.map(() => all[0]!)).standingTo(asked!)(0.9).likeness).toBeUndefined();
    expect(vectorsOf(all).standingTo(asked!)(0.9).likeness).toBeGreaterThan(0);
  });

  it('tell the mean of the other passages', () => {
    const all = directions(2);
    const vectors = vectorsOf(all);
    const { others } = vectors.standingTo(all[0]!)(vectors.cosine(0, all[0]!));
    expect(others).toBeCloseTo(vectors.cosine(1, all[0]!));
    expect(vectorsOf(all.slice(1)).standingTo(all[0]!)(1).others).toBeUndefined();
  });

  it('stay with their slots when others leave', () => {
    const [asked, ...all] = directions(200);
    const vectors = vectorsOf(all);
    const moved = all.map((_, slot) => (slot % 3 ? -1 : slot / 3));
    for (const slot of all.keys()) if (slot % 3) vectors.drop(slot);
    vectors.compact(moved);
    expect(vectors.size).toBe(67);
    for (const [slot, to] of moved.entries()) {
      if (to >= 0) expect(vectors.cosine(to, asked!)).toBeCloseTo(dot(all[slot]!, asked!), 2);
    }
    vectors.set(5000, rowOf(asked!));
    expect(vectors.nearest(asked!, 1)).toEqual([5000]);
  });
});

describe('the index', () => {
  const all = directions(400);
  const embed = (index: PassageIndex<string>, uuid: string, dimensions: number, rows: Int8Array) => {
    for (const _ of index.embedInSteps(uuid, dimensions, rows));
  };
  const put = (index: PassageIndex<string>, n: number) => {
    const text = `Lamp ${n}.`;
    index.put(String(n), String(n), { title: '', text, passages: [{ headings: [], start: 0, end: text.length }] });
    embed(index, String(n), DIMENSIONS, rowOf(all[n]!));
  };
  const found = (index: PassageIndex<string>, query: string, vector: Float32Array, sources?: Set<string>) =>
    index.search(index.query(query), 3, { vector, sources }).map(({ entry }) => entry.source);

  it('finds by meaning what has no word of the question, and by words what is far in meaning', () => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 100; n++) put(index, n);
    expect(found(index, 'Something bright?', all[7]!)[0]).toBe('7');
    expect(found(index, '', all[7]!)[0]).toBe('7');
    expect(found(index, 'lamp 30', all[7]!)).toContain('30');
    expect(found(index, 'lamp 7', all[7]!)[0]).toBe('7');
    expect(found(index, 'Something bright?', all[7]!, new Set(['3', '4'])).sort()).toEqual(['3', '4']);
    expect(found(index, 'Something bright?', new Float32Array(DIMENSIONS + 1).fill(0.1))).toEqual([]);
  });

  it('is by meaning, too, the same after sources came and went as if they had never been', () => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 300; n++) put(index, n);
    for (let n = 0; n < 300; n++) if (n % 3 !== 0) index.remove(String(n));
    const fresh = new PassageIndex<string>();
    for (let n = 0; n < 300; n += 3) put(fresh, n);
    for (const n of [6, 299, 350]) expect(found(index, 'lamp 3', all[n]!)).toEqual(found(fresh, 'lamp 3', all[n]!));
  });

  it('stops where the source is removed meanwhile', () => {
    const index = new PassageIndex<string>();
    put(index, 0);
    const passages = Array.from({ length: 300 }, (_, n) => ({ headings: [], start: n, end: n + 1 }));
    index.put('many', 'many', { title: '', text: 'x'.repeat(300), passages });
    const embedding = index.embedInSteps('many', DIMENSIONS, new Int8Array(300 * DIMENSIONS).fill(1));
    embedding.next();
    index.remove('many');
    expect(embedding.next().done).toBe(true);
    expect(found(index, '', all[3]!)).toEqual(['0']);
  });

  it('does without the meanings of a source that has another number of passages', () => {
    const index = new PassageIndex<string>();
    put(index, 0);
    index.put('1', '1', { title: '', text: 'Boats.', passages: [{ headings: [], start: 0, end: 6 }] });
    embed(index, '1', DIMENSIONS, new Int8Array(DIMENSIONS * 2));
    embed(index, '1', DIMENSIONS / 2, new Int8Array(DIMENSIONS / 2));
    embed(index, 'none', DIMENSIONS, new Int8Array(0));
    expect(found(index, 'boats', all[5]!)).toContain('1');
    expect(index.dimensions).toBe(DIMENSIONS);
  });
});
