import fc from '../random.ts';
import { describe, expect, test } from 'vitest';
import { checkedRules, firstTrue, type SessionFacts } from '../../server/agents/routing/rules.ts';
import { MAX_RULES, type Rule } from '../../server/schema/routing.ts';
import { Refusal } from '../../server/schema/errors.ts';

const AGENT = 'a'.repeat(32);
const FACTS: SessionFacts = {
  queries: 3,
  lastAgent: AGENT,
  consecutive: 2,
  variables: { plan: 'gold', seats: 5, vip: false, empty: '' },
};

describe('a rule', () => {
  test.each<[boolean, Rule, string]>([
    [true, { queries: { min: 3 } }, ''],
    [false, { queries: { min: 4 } }, ''],
    [true, { queries: { min: 1, max: 3 } }, ''],
    [false, { queries: { max: 2 } }, ''],
    [true, { last_agent: AGENT }, ''],
    [false, { last_agent: 'b'.repeat(32) }, ''],
    [true, { consecutive: { min: 2, max: 2 } }, ''],
    [false, { consecutive: { min: 3 } }, ''],
    [true, { variable: { name: 'plan', set: true } }, ''],
    [false, { variable: { name: 'plan', set: false } }, ''],
    [true, { variable: { name: 'empty', set: false } }, ''],
    [true, { variable: { name: 'none', set: false } }, ''],
    [true, { variable: { name: 'constructor', set: false } }, ''],
    [true, { variable: { name: 'vip', set: true } }, ''],
    [true, { variable: { name: 'plan', equals: 'gold' } }, ''],
    [false, { variable: { name: 'plan', equals: 'Gold' } }, ''],
    [true, { variable: { name: 'seats', equals: 5 } }, ''],
    [true, { variable: { name: 'seats', equals: '5' } }, ''],
    [true, { variable: { name: 'vip', equals: false } }, ''],
    [false, { variable: { name: 'none', equals: 'undefined' } }, ''],
    [true, { contains: ['refund'] }, 'A Refund, please'],
    [false, { contains: ['fund'] }, 'A refund, please'],
    [true, { contains: ['no', 'money back'] }, 'I want my MONEY back!'],
    [false, { contains: ['money back'] }, 'money in the back'],
    [true, { contains: ['iPhone'] }, 'my iphone broke'],
    [true, { contains: ['iphone'] }, 'my iPhone broke'],
    [true, { contains: ['rücksendung'] }, 'RUCKSENDUNG wie?'],
    [true, { contains: ['đơn hàng'] }, 'don hang cua toi'],
    [true, { contains: ['возврат'] }, 'Где мой возврат?'],
    [true, { contains: ['退款'] }, '我要退款吗'],
    [true, { contains: ['钱'] }, '我的钱在哪里'],
    [true, { contains: ['返品'] }, '返品したいです'],
    [false, { contains: ['退款'] }, '我要退货'],
    [true, { all: [{ queries: { min: 1 } }, { contains: ['a'] }] }, 'a'],
    [false, { all: [{ queries: { min: 1 } }, { contains: ['a'] }] }, 'b'],
    [true, { any: [{ queries: { min: 9 } }, { all: [{ contains: ['a'] }] }] }, 'a'],
    [false, { any: [{ queries: { min: 9 } }, { contains: ['a'] }] }, 'b'],
  ])('is %s: %j for "%s"', (expected, rule, query) => {
    expect(firstTrue(checkedRules('rules', [rule]), query, FACTS)).toBe(expected ? 0 : -1);
  });

  test('is the first that is true', () => {
    const rules: Rule[] = [{ contains: ['x'] }, { queries: { min: 1 } }, { contains: ['a'] }];
    expect(firstTrue(rules, 'a', FACTS)).toBe(1);
  });
});

const refusal = (sent: unknown): [field: string | undefined, sentence: string] | undefined => {
  try {
    checkedRules('rules', sent);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(error.status).toBe(422);
    return [error.field, error.message];
  }
};

const times = (count: number, rule: Rule): Rule[] => Array.from({ length: count }, () => rule);

describe('bad rules', () => {
  const deep = (depth: number): unknown => (depth === 0 ? { contains: ['a'] } : { all: [deep(depth - 1)] });

  test.each<[unknown, string, RegExp]>([
    [{}, 'rules', /^rules must be a list$/],
    [times(MAX_RULES + 1, { contains: ['a'] }), 'rules', /at most 20$/],
    [['text'], 'rules[0]', /exactly one of all, any, queries, last_agent, consecutive, variable, contains$/],
    [[{}], 'rules[0]', /exactly one of/],
    [[{ contains: ['a'], queries: { min: 1 } }], 'rules[0]', /exactly one of/],
    [[{ contains: ['a'], because: 'x' }], 'rules[0]', /exactly one of/],
    [[JSON.parse('{"__proto__": []}')], 'rules[0]', /exactly one of/],
    [[{ all: [{ contains: ['a'] }, { contains: [] }] }], 'rules[0].all[1].contains', /contains must be a list/],
    [[{ all: [{ contains: ['a'] }, { contains: ['a', '!?'] }] }], 'rules[0].all[1].contains', /a text with a word/],
    [[{ any: [] }], 'rules[0].any', /must not be empty/],
    [[{ any: {} }], 'rules[0].any', /must be a list/],
    [[{ queries: 3 }], 'rules[0].queries', /must be an object/],
    [[{ queries: {} }], 'rules[0].queries', /min, max or both/],
    [[{ queries: { min: -1 } }], 'rules[0].queries.min', /whole number/],
    [[{ consecutive: { min: 3, max: 2 } }], 'rules[0].consecutive.min', /must not be above max/],
    [[{ contains: ['a'] }, { last_agent: 'me' }], 'rules[1].last_agent', /32 lower-case hex digits/],
    [[{ variable: { set: true } }], 'rules[0].variable.name', /is required/],
    [[{ variable: { name: 'a' } }], 'rules[0].variable', /either set or equals/],
    [[{ variable: { name: 'a', set: true, equals: 1 } }], 'rules[0].variable', /either set or equals/],
    [[{ variable: { name: 'a', equals: {} } }], 'rules[0].variable.equals', /a string .* or a number or true or false/],
    [[deep(4)], 'rules[0].all[0].all[0].all[0].all', /at most 4 deep/],
    [times(11, { all: times(20, { contains: ['a'] }) }), 'rules[9].all[10]', /at most 200 conditions and groups/],
  ])('%j are refused at %s', (sent, field, sentence) => {
    expect(refusal(sent)).toEqual([field, expect.stringMatching(sentence)]);
  });

  test('of any JSON are refused with a place or taken, and what is taken can be decided', () => {
    const leaf = fc.oneof(
      fc.constant({ contains: ['a'] }),
      fc.constant({ queries: { min: 1 } }),
      fc.constant({ variable: { name: 'x', equals: true } }),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const rule = fc.letrec<{ rule: unknown }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.record({ all: fc.array(tie('rule'), { maxLength: 3 }) }),
        fc.record({ any: fc.array(tie('rule'), { maxLength: 3 }) }),
      ),
    })).rule;
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), fc.string({ unit: 'grapheme' }), (sent, query) => {
        const refused = refusal(sent);
        if (refused) expect(refused[0]).toMatch(/^rules/);
        else expect(firstTrue(checkedRules('rules', sent), query, FACTS)).toBeLessThan(sent.length);
      }),
      { numRuns: 300 },
    );
  });
});
