import type { TSchema } from 'typebox';
import * as fields from '../../schema/fields.ts';
import * as records from '../../schema/records.ts';
import * as sites from '../../schema/site.ts';
import * as widgetSettings from '../../schema/widget-settings.ts';
import * as agentBodies from '../requests/agent-body.ts';
import * as bodies from '../requests/bodies.ts';

/** The schemas that validate, as JSON Schema 2020-12: what has a name stands once and is pointed at. */

export type Json = { [key: string]: unknown };

/** Objects and unions under the names of their exports, one for each type of agent beside them. */
const named: [string, TSchema][] = [
  ...exported(fields),
  ...exported(records),
  ...Object.entries(records.AgentByType).map(([type, schema]): [string, TSchema] => [`${pascal(type)}Agent`, schema]),
  ...exported(sites),
  ...exported(widgetSettings),
  ...exported(bodies),
  ...exported(agentBodies),
];

function exported(module: object): [string, TSchema][] {
  const all = Object.entries(module) as [string, TSchema & { type?: unknown; anyOf?: unknown }][];
  return all.filter(([, one]) => one.type === 'object' || Array.isArray(one.anyOf));
}

function pascal(words: string): string {
  return words.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** By content: an optional property holds a copy of its schema. */
const names = new Map(named.toReversed().map(([name, schema]) => [JSON.stringify(schema), name]));

/** Every named schema that `document` points at, in the order of the exports. */
export function componentsOf(document: unknown): Json {
  const all = Object.fromEntries(named.map(([name, schema]) => [name, below(schema)]));
  const used = new Set<string>();
  const follow = (within: unknown): void => {
    for (const [, name = ''] of JSON.stringify(within).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(all[name]);
    }
  };
  follow(document);
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}

/** The schema as the document has it: a pointer where it has a name. */
export function written(schema: unknown): unknown {
  const name = typeof schema === 'object' && schema !== null ? names.get(JSON.stringify(schema)) : undefined;
  return name === undefined ? below(schema) : { $ref: `#/components/schemas/${name}` };
}

function below(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(written);
  if (typeof schema !== 'object' || schema === null) return schema;
  const told = Object.entries(schema).filter(([key]) => key !== 'additionalItems');
  return modern(Object.fromEntries(told.map(([key, inner]) => [key, written(inner)])));
}

/** A list of fixed length with one schema for all its items: many readers of OpenAPI take no `prefixItems`. */
function plainItems(items: Json[]): Json {
  const of = (bound: string): number[] => items.map((one) => one[bound] as number);
  return { type: items[0]?.['type'], minimum: Math.min(...of('minimum')), maximum: Math.max(...of('maximum')) };
}

/** Words of TypeBox that JSON Schema has since renamed, and `binary`, by which viewers offer to choose a file. */
function modern({ patternProperties, ...rest }: Json): Json {
  const { items } = rest;
  if (Array.isArray(items)) return { ...rest, items: plainItems(items as Json[]), maxItems: items.length };
  if (rest['contentMediaType'] === 'application/octet-stream') return { ...rest, format: 'binary' };
  const open = (patternProperties as Json | undefined)?.['^.*$'];
  if (open !== undefined) return { ...rest, additionalProperties: open };
  return patternProperties === undefined ? rest : { ...rest, patternProperties };
}
