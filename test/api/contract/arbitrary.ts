import type { Arbitrary } from 'fast-check';
import fc from '../../random.ts';

/** Values out of the JSON Schemas of the OpenAPI document. */

export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

type Named = Record<string, Schema>;

/** A value that the schema allows. */
export function valid(schema: Schema, named: Named): Arbitrary<unknown> {
  if (schema.$ref) return valid(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, named)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.type === 'object') return object(schema, named);
  if (schema.type === 'array') return array(schema, named);
  if (schema.type === 'string') return text(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
  if (schema.type === 'number') {
    return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true, noDefaultInfinity: true });
  }
  return fc.jsonValue();
}

function text({ pattern, minLength = 0, maxLength = 40 }: Schema): Arbitrary<string> {
  if (pattern?.includes('#[')) return fc.stringMatching(/^#[0-9A-Fa-f]{6}$/);
  if (pattern?.startsWith('^(?:[Hh]')) return fc.oneof(fc.constant(''), fc.webUrl());
  if (pattern?.startsWith('^[/*]')) return fc.stringMatching(/^[/*][a-z*?/]{0,20}$/);
  if (pattern) return fc.stringMatching(/^[0-9a-f]{32}$/);
  // Whole characters of every plane; a NUL is no text here.
  const any = fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 40) });
  return fc
    .oneof(any, fc.string({ minLength, maxLength: Math.min(maxLength, 40) }))
    .map((words) => words.replaceAll('\0', '0'));
}

function object({ properties = {}, required = [], additionalProperties }: Schema, named: Named): Arbitrary<object> {
  if (typeof additionalProperties === 'object') {
    return fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), valid(additionalProperties, named), { maxKeys: 4 });
  }
  const known = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valid(one, named)]));
  return fc.record(known, { requiredKeys: required });
}

function array({ items = {}, minItems = 0, maxItems = 4 }: Schema, named: Named): Arbitrary<unknown[]> {
  return fc.array(valid(items, named), { minLength: minItems, maxLength: Math.min(maxItems, 4) });
}

/** Anything a JSON body can say, odd texts, keys and numbers among it. */
export const anything: Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 20_000, size: 'max' }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '',
    ' ',
    '__proto__',
    1e308,
    -0,
    5e-324,
    Number.MAX_SAFE_INTEGER + 1,
    [],
    {},
    [[]],
    null,
  ),
  fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}}}')),
);

/** A body beside the schema: one place of a valid one holds anything at all, or is gone. */
export const beside = (schema: Schema, named: Named): Arbitrary<unknown> => {
  const names = Object.keys((schema.$ref ? named[schema.$ref.split('/').at(-1) ?? ''] : schema)?.properties ?? {});
  const changed = fc
    .tuple(valid(schema, named), fc.constantFrom(...names), fc.option(anything, { nil: undefined }))
    .map(([body, name, value]) => ({ ...(body as object), [name]: value }));
  return fc.oneof({ weight: 6, arbitrary: changed }, { weight: 1, arbitrary: anything });
};
