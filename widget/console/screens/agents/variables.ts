import type { Variable } from '../../agent-records.ts';
import type { Column, Row } from './Rows.tsx';
import { rowOf } from './Rows.tsx';

/** The variables of an agent as rows of a form. */

const TYPES: Record<string, string> = { string: 'Text', number: 'Number', boolean: 'Yes or no' };

/** `stored`: older ones may have types that there are no more, which are kept. */
export const variableColumns = (stored: Variable[]): Record<string, Column> => ({
  name: { label: 'Name' },
  description: { label: 'What it is' },
  example: { label: 'Example' },
  type: { label: 'Type', choices: { ...Object.fromEntries(stored.map(({ type }) => [type, type])), ...TYPES } },
  content: { label: 'Value by default' },
  static: { label: 'Who sets it', choices: { 0: 'Visitors too', 1: 'Only you' } },
});

export const NEW_VARIABLE = { name: '', description: '', example: '', type: 'string', content: '', static: '0' };

export const variableRows = (stored: Variable[]): Row[] =>
  stored.map(({ default_value: { content, static: fixed }, ...texts }) =>
    rowOf({ ...texts, content, static: fixed ? '1' : '0' }, fixed),
  );

export const variablesIn = (rows: Row[]): Variable[] =>
  rows.map(({ cells, from }) => {
    const { name = '', description = '', example = '', type = '', content = '' } = cells;
    // Any number but 0 means the same: the one that is stored stays.
    const fixed = cells['static'] === '0' ? 0 : Number(from) || 1;
    return { name: name.trim(), description, example, type, default_value: { content, static: fixed } };
  });
