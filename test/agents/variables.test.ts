import fc from '../random.ts';
import { describe, expect, it, test } from 'vitest';
import { fill, valuesOf } from '../../server/agents/variables.ts';
import type { AgentVariable } from '../../server/schema/variables.ts';

const variable = (name: string, type = 'string', content = '', fixed = 0): AgentVariable => ({
  name,
  description: '',
  example: '',
  type,
  default_value: { content, static: fixed },
});
const agent = (...variables: AgentVariable[]) => ({ enabled: 1 as const, variables });

describe('the values of a session', () => {
  it('are collected before initial before default ones', () => {
    const agents = [agent(variable('a', 'string', 'A'), variable('b', 'string', 'B'), variable('c', 'string', 'C'))];
    const session = { initial_variables: { b: 'initial', c: 'initial' }, variables: { c: 'collected' } };
    expect(valuesOf(agents, session)).toEqual({ a: 'A', b: 'initial', c: 'collected' });
  });

  it('never take the place of a static default, not even of an empty one', () => {
    const agents = [agent(variable('plan', 'string', 'basic', 1), variable('none', 'string', '', 1))];
    const sent = { plan: 'gold', none: 'gold' };
    expect(valuesOf(agents, { initial_variables: sent, variables: sent })).toEqual({ plan: 'basic' });
  });

  it('take the place of a static default where a key holder created the session with them, and stay so', () => {
    const agents = [agent(variable('plan', 'string', 'basic', 1), variable('none', 'number', '', 1))];
    const session = {
      by_key: true as const,
      initial_variables: { plan: 'gold', none: 'x' },
      variables: { plan: 'own' },
    };
    expect(valuesOf(agents, session)).toEqual({ plan: 'gold' });
    expect(valuesOf(agents, { ...session, initial_variables: {} })).toEqual({ plan: 'basic' });
  });

  test.each([
    ['number', '7', 7],
    ['number', ' -0.5 ', -0.5],
    ['number', 7, 7],
    ['number', 'seven', undefined],
    ['number', true, undefined],
    ['number', '0x10', undefined],
    ['number', '1e999', undefined],
    ['boolean', 'TRUE', true],
    ['boolean', false, false],
    ['boolean', 1, undefined],
    ['string', 7, '7'],
    ['string', '', undefined],
    ['colour', 'red', 'red'],
  ])('of type %s: %j is read as %j', (type, sent, value) => {
    const { v } = valuesOf([agent(variable('v', type))], { initial_variables: { v: sent } });
    expect(v).toBe(value);
  });

  it('keep the default where a value of another type is sent', () => {
    const agents = [agent(variable('seats', 'number', '2'))];
    expect(valuesOf(agents, { initial_variables: { seats: 'many' } })).toEqual({ seats: 2 });
  });

  it('are declared by the first enabled agent of several', () => {
    const off = { ...agent(variable('plan', 'string', 'off', 1)), enabled: 0 as const };
    const agents = [off, agent(variable('plan', 'string', 'first')), agent(variable('plan', 'string', 'second', 1))];
    expect(valuesOf(agents, {})).toEqual({ plan: 'first' });
    expect(valuesOf(agents, { variables: { plan: 'gold' } })).toEqual({ plan: 'gold' });
  });

  it('may be of names that no agent declares, or that objects have', () => {
    const agents = [agent(variable('__proto__', 'string', 'x'))];
    const values = valuesOf(agents, { initial_variables: { page: 'home', toString: 'own' } });
    expect(Object.entries(values)).toEqual([
      ['__proto__', 'x'],
      ['page', 'home'],
      ['toString', 'own'],
    ]);
  });
});

describe('a template', () => {
  test.each([
    ['Dear {{name}}, {{ seats }} seats, {{vip}}', 'Dear Ada, 3 seats, false'],
    ['{{unknown}} and {{toString}} and {{}}', '{{unknown}} and {{toString}} and {{}}'],
    ['{{{name}}} {name}', '{Ada} {name}'],
    ['{{sly}}', '{{name}} $& $1'],
    ['{{ na\nme }}', '{{ na\nme }}'],
  ])('%j becomes %j', (template, filled) => {
    expect(fill(template, { name: 'Ada', seats: 3, vip: false, sly: '{{name}} $& $1' })).toBe(filled);
  });

  it('holds each value as it is, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(fill('{{one}}|{{other}}', { one, other })).toBe(`${one}|${other}`);
      }),
    );
  });
});
