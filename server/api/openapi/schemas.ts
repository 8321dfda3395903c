import type { TSchema } from 'typebox';
import * as analytics from '../../schema/analytics.ts';
import * as fields from '../../schema/fields.ts';
import * as records from '../../schema/records.ts';
import * as serverModels from '../../schema/models-file.ts';
import * as sites from '../../schema/sources/site.ts';
import * as trace from '../../schema/trace.ts';
import * as usage from '../../schema/usage.ts';
import * as widgetSettings from '../../schema/widget-settings.ts';
import * as agentBodies from '../requests/agent-body.ts';
import * as bodies from '../requests/bodies.ts';
import * as people from '../requests/people.ts';

/** TypeBox schemas as JSON Schema 2020-12. Exported schemas become components, referenced by `$ref`. */

export type Json = { [key: string]: unknown };

/** Objects and unions by export name, and one schema for each type of agent. */
const namedSchemas: [string, TSchema][] = [
  ...exportedSchemas(fields),
  ...exportedSchemas(records),
  ...Object.entries(records.AgentByType).map(([type, schema]): [string, TSchema] => [
    `${pascalCase(type)}Agent`,
    schema,
  ]),
  ...exportedSchemas(sites),
  ...exportedSchemas(widgetSettings),
  ...exportedSchemas(usage),
  ...exportedSchemas(analytics),
  ...exportedSchemas(trace),
  ...exportedSchemas(serverModels),
  ...exportedSchemas(bodies),
  ...exportedSchemas(agentBodies),
  ...exportedSchemas(people),
];

function exportedSchemas(module: object): [string, TSchema][] {
  const all = Object.entries(module) as [string, TSchema & { type?: unknown; anyOf?: unknown }][];
  return all.filter(([, one]) => one.type === 'object' || Array.isArray(one.anyOf));
}

function pascalCase(words: string): string {
  return words.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** By content, not identity: TypeBox copies the schema of an optional property. */
const nameByContent = new Map(namedSchemas.toReversed().map(([name, schema]) => [JSON.stringify(schema), name]));

/** The named schemas that `document` references, transitively, in the order of the exports. */
export function componentsOf(document: unknown): Json {
  const all = Object.fromEntries(namedSchemas.map(([name, schema]) => [name, withRefs(schema)]));
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

/** A `$ref` for a named schema, else the schema with `$ref`s inside. */
export function schemaOrRef(schema: unknown): unknown {
  const name = typeof schema === 'object' && schema !== null ? nameByContent.get(JSON.stringify(schema)) : undefined;
  return name === undefined ? withRefs(schema) : { $ref: `#/components/schemas/${name}` };
}

function withRefs(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaOrRef);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== 'additionalItems');
  return toJsonSchema(Object.fromEntries(entries.map(([key, inner]) => [key, schemaOrRef(inner)])));
}

/** One schema for all items of a tuple: many OpenAPI tools do not support `prefixItems`. */
function uniformItems(items: Json[]): Json {
  const of = (bound: string): number[] => items.map((one) => one[bound] as number);
  return { type: items[0]?.['type'], minimum: Math.min(...of('minimum')), maximum: Math.max(...of('maximum')) };
}

/** Replaces older keywords that TypeBox emits, and adds `format: binary`, for which viewers show a file picker. */
function toJsonSchema({ patternProperties, ...rest }: Json): Json {
  const { items } = rest;
  if (Array.isArray(items)) return { ...rest, items: uniformItems(items as Json[]), maxItems: items.length };
  if (rest['contentMediaType'] === 'application/octet-stream') return { ...rest, format: 'binary' };
  const open = (patternProperties as Json | undefined)?.['^.*$'];
  if (open !== undefined) return { ...rest, additionalProperties: open };
  return patternProperties === undefined ? rest : { ...rest, patternProperties };
}
