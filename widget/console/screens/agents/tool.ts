import { typed } from '../../parts/form.ts';
import type { ToolFunction } from '../../agent-records.ts';
import type { Column, Row } from './Rows.tsx';
import { isSame, rowOf } from './Rows.tsx';

/** A tool function as rows of a form: its headers, and the parameters at the top of their JSON Schema. */

const TYPES = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
  array: 'List',
  object: 'Object',
  '': 'Any',
};
type Property = Record<string, unknown>;

export const PARAMETER_COLUMNS: Record<string, Column> = {
  name: { label: 'Name', isRequired: true },
  type: { label: 'Type', choices: TYPES },
  description: { label: 'What it is' },
  default: { label: 'Value by default', placeholder: '{{variable}}' },
  required: { label: 'Needed', choices: { yes: 'Yes', no: 'No' } },
};
export const NEW_PARAMETER = { name: '', type: 'string', description: '', default: '', required: 'yes' };
export const HEADER_COLUMNS: Record<string, Column> = { name: { label: 'Name' }, value: { label: 'Value' } };
export const NEW_HEADER = { name: '', value: '' };

export const headerRows = (headers: Record<string, string>): Row[] =>
  Object.entries(headers).map(([name, value]) => rowOf({ name, value }));
export const headersIn = (rows: Row[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ cells }) => [cells['name']!.trim(), cells['value']!]));

export const propertiesOf = ({ properties }: ToolFunction['parameters']): Record<string, Property> => properties ?? {};

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function cellsOf(name: string, property: Property, required: string[]): Row['cells'] {
  const { type, description, default: value } = property;
  const known = typeof type === 'string' && type in TYPES ? type : '';
  const isNeeded = required.includes(name) ? 'yes' : 'no';
  return { name, type: known, description: textOf(description), default: textOf(value), required: isNeeded };
}

export const parameterRows = ({ required = [], ...parameters }: ToolFunction['parameters']): Row[] =>
  Object.entries(propertiesOf(parameters)).map(([name, property]) =>
    rowOf(cellsOf(name, property, required), property),
  );

/** The schema with these parameters; all else of it is as in `before`. */
export function parametersIn(rows: Row[], before: ToolFunction['parameters']): ToolFunction['parameters'] {
  const { required = [] } = before;
  const named = rows.map(({ cells, from }) => [cells['name']!.trim(), propertyIn(cells, from as Property)] as const);
  const needed = rows.flatMap(({ cells }) => (cells['required'] === 'yes' ? [cells['name']!.trim()] : []));
  const unshown = required.filter((name) => !Object.hasOwn(propertiesOf(before), name));
  return { type: 'object', ...before, properties: Object.fromEntries(named), required: [...needed, ...unshown] };
}

function propertyIn(cells: Row['cells'], from: Property = {}): Property {
  const was = cellsOf(cells['name']!, from, []);
  if (isSame({ ...cells, required: was['required']! }, was)) return from;
  const property = { ...from };
  for (const name of ['type', 'description'] as const) put(property, name, cells, was, (text) => text);
  put(property, 'default', cells, was, (text) => typed(cells['type']!, text));
  return property;
}

/** What was not changed stays as it is, whatever it is. */
function put(
  property: Property,
  name: string,
  cells: Row['cells'],
  was: Row['cells'],
  read: (text: string) => unknown,
) {
  if (cells[name] === was[name]) return;
  if (cells[name]) property[name] = read(cells[name]);
  else delete property[name];
}

/** Names of the variables that a call needs. */
export const variablesOf = ({ external_url, headers, parameters }: ToolFunction): string[] => {
  const templates = JSON.stringify([external_url, headers, parameters]);
  return [...new Set(Array.from(templates.matchAll(/\{\{([^{}]{1,300})\}\}/g), ([, name = '']) => name.trim()))];
};
