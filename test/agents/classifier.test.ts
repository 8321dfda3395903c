import { setImmediate } from 'node:timers/promises';
import fc from '../random.ts';
import { describe, expect, test, vi } from 'vitest';
import { trainClassifier } from '../../server/agents/routing/classifier.ts';
import { agentOf } from './routing-agents.ts';

const bicycles = agentOf('bicycles', { examples: ['Which saddle fits my bicycle?', 'My bicycle chain is loose'] });
const boats = agentOf('boats', { examples: ['Which sail fits my boat?', 'My boat has a leak'] });

/** Above 0 where the first agent fits better. */
const decision = async (agents: Parameters<typeof trainClassifier>[0], message: string, turns: string[] = []) =>
  (await trainClassifier(agents)).fits(message, turns).between(0, 1);

describe('the classifier', () => {
  test('tells agents apart by their examples, name, description and prompt', async () => {
    expect(await decision([bicycles, boats], 'the chain of my bike')).toBeGreaterThan(0);
    expect(await decision([bicycles, boats], 'there is a leak below the sail')).toBeLessThan(0);
    const described = [
      agentOf('1', { description: 'Repairs of clocks.' }),
      agentOf('2', { prompt: 'Be kind. Answer about violins.' }),
    ];
    expect(await decision(described, 'my clock needs repair')).toBeGreaterThan(0);
    expect(await decision(described, 'strings of a violin')).toBeLessThan(0);
  });

  test.each([
    ['Wie lange dauert die Lieferung?', 'Ich brauche meine Rechnung', 'Lieferzeiten', 'Kopie der Rechnungen'],
    ['Сколько идёт доставка?', 'Мне нужен счёт', 'сроки доставки', 'где мой счёт'],
    ['配送にどのくらいかかりますか', '請求書が必要です', '配送日数', '請求書をください'],
    ['كم يستغرق الشحن؟', 'أحتاج إلى فاتورة', 'مدة الشحن', 'أين الفاتورة'],
  ])('tells agents apart in the language of %s', async (one, other, likeOne, likeOther) => {
    const agents = [agentOf('1', { examples: [one] }), agentOf('2', { examples: [other] })];
    expect(await decision(agents, likeOne)).toBeGreaterThan(0);
    expect(await decision(agents, likeOther)).toBeLessThan(0);
  });

  test('forgives a typo', async () => {
    expect(await decision([bicycles, boats], 'bycicle')).toBeGreaterThan(0);
  });

  test('takes from the turns before what a follow-up does not name, the latest first', async () => {
    expect(await decision([bicycles, boats], 'and how much is that?', ['My boat has a leak'])).toBeLessThan(0);
    const turns = ['Is there a new chain for the bicycle?', 'My boat has a leak'];
    expect(await decision([bicycles, boats], 'and how much is that?', turns)).toBeGreaterThan(0);
    expect(await decision([bicycles, boats], 'Which saddle fits?', ['My boat has a leak'])).toBeGreaterThan(0);
  });

  const words = fc.array(fc.constantFrom('ab', 'cd', 'efg', 'hij', 'klmn', 'opq'), { minLength: 1, maxLength: 5 });
  const sentence = words.map((list) => list.join(' '));
  const agents = fc.array(fc.array(sentence, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 });

  test('trained twice decides the same, and alike for both of a pair', async () => {
    await fc.assert(
      fc.asyncProperty(agents, sentence, async (lists, query) => {
        const team = lists.map((examples, at) => agentOf(`agent ${at}`, { name: 'zz', examples }));
        const [one, other] = [await trainClassifier(team), await trainClassifier(team)];
        expect(one.fits(query).between(0, 1)).toBe(other.fits(query).between(0, 1));
        expect(one.fits(query).between(1, 0)).toBeCloseTo(-one.fits(query).between(0, 1), 12);
      }),
      { numRuns: 50 },
    );
  });

  test('decides between two agents the same, whatever a third one is', async () => {
    await fc.assert(
      fc.asyncProperty(agents, fc.array(sentence, { minLength: 1 }), sentence, async (lists, third, query) => {
        const team = lists.map((examples, at) => agentOf(`agent ${at}`, { name: 'zz', examples }));
        const before = (await trainClassifier(team)).fits(query).between(0, 1);
        const after = (await trainClassifier([...team, agentOf('third', { examples: third })])).fits(query);
        expect(after.between(0, 1)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  test('gives others a turn between any two of its texts, pairs and features on a slow machine', async () => {
    const letters = [...'abcdefghij'];
    const words = letters.flatMap((first) =>
      letters.flatMap((second) => letters.map((third) => first + second + third)),
    );
    const team = [0, 1].map((agent) =>
      agentOf(`agent ${agent}`, {
        examples: Array.from({ length: 50 }, (_, at) =>
          words
            .slice(agent * 500 + at * 10)
            .slice(0, 10)
            .join(' '),
        ),
      }),
    );
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    const learning = { isOver: false };
    let turns = 0;
    const others = (async () => {
      for (; !learning.isOver; turns++) await setImmediate();
    })();
    await trainClassifier(team);
    learning.isOver = true;
    await others;
    clock.mockRestore();
    expect(turns).toBeGreaterThan(words.length);
  });

  test('gives others their turn while it learns from thousands of texts', async () => {
    const team = Array.from({ length: 20 }, (_, agent) =>
      agentOf(`agent ${agent}`, {
        examples: Array.from({ length: 50 }, (_, at) => `number ${agent} has the words ${agent * at} and ${at % 7}`),
      }),
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const classifier = await trainClassifier(team);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(classifier.fits('words of number 7').likeness).toHaveLength(20);
  });
});
