import type { Column, Row } from './Rows.tsx';
import { isSame, rowOf } from './Rows.tsx';
import { typed } from '../../parts/form.ts';

/** The rules of an agent as rows of a form: one that the form has no fields for stands there as JSON. */

const KINDS = {
  contains: 'The message has one of the words',
  equals: 'A variable is',
  set: 'A variable is known',
  unset: 'A variable is not known',
  queries: 'At least so many messages were asked',
  json: 'Another rule, as JSON',
};

const isOf =
  (...kinds: (keyof typeof KINDS)[]) =>
  ({ kind }: Row['cells']): boolean =>
    (kinds as string[]).includes(kind!);

export const RULE_COLUMNS: Record<string, Column> = {
  kind: { label: 'It answers where', choices: KINDS },
  name: { label: 'Variable', isRequired: true, isShown: isOf('equals', 'set', 'unset') },
  value: {
    label: 'Value',
    isRequired: true,
    isShown: isOf('contains', 'equals', 'queries', 'json'),
    placeholder: 'invoice, bill',
  },
};

export const NEW_RULE = { kind: 'contains', name: '', value: '' };

interface ShownRule {
  contains?: string[];
  variable?: { name: string; set?: boolean; equals?: unknown };
  queries?: { min?: number; max?: number };
}

function cellsOf(rule: object): Row['cells'] {
  const { contains, variable, queries } = rule as ShownRule;
  if (contains && !contains.some((words) => words.includes(',') || words !== words.trim()))
    return { kind: 'contains', name: '', value: contains.join(', ') };
  if (variable?.equals !== undefined) return { kind: 'equals', name: variable.name, value: String(variable.equals) };
  if (variable) return { kind: variable.set ? 'set' : 'unset', name: variable.name, value: '' };
  if (queries && queries.max === undefined) return { kind: 'queries', name: '', value: String(queries.min) };
  return { kind: 'json', name: '', value: JSON.stringify(rule) };
}

export const ruleRows = (rules: object[]): Row[] => rules.map((rule) => rowOf(cellsOf(rule), rule));

/** JSON that is none is sent as the text that it is: the server refuses it. */
export function rulesIn(rows: Row[]): unknown[] {
  return rows.map(({ cells, from }) => {
    if (from && isSame(cells, cellsOf(from as object))) return from;
    const { kind, name, value = '' } = cells;
    if (kind === 'json') return typed('', value);
    if (kind === 'queries') return { queries: { min: Number(value) } };
    if (kind === 'equals') return { variable: { name, equals: value } };
    if (kind !== 'contains') return { variable: { name, set: kind === 'set' } };
    return {
      contains: value
        .split(',')
        .map((words) => words.trim())
        .filter(Boolean),
    };
  });
}
