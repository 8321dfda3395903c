import type { Static, TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import type { TLocalizedValidationError } from 'typebox/error';
import { invalid, Refusal } from './errors.ts';

/** Bodies, checked against their schemas. Lengths count code points and nothing is trimmed or coerced. */

const compiled = new WeakMap<TSchema, Validator>();

/**
 * The keys that the schema names, from the body's own properties; all others, `__proto__` among them, are ignored, and
 * so is `null` for an optional one. No body at all counts as `{}`. Throws a `Refusal` that names the first field at fault.
 */
export function validate<S extends TObject>(schema: S, body: unknown): Static<S> {
  const fields = body === undefined ? {} : body;
  if (!isObject(fields)) {
    throw new Refusal('invalid_field', 'the body must be a JSON object');
  }
  const { properties, required = [] } = schema as JsonSchema;
  const known: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(properties ?? {})) {
    if (Object.hasOwn(fields, key) && (fields[key] !== null || required.includes(key)))
      known[key] = withoutNulls(inner, fields[key]);
  }
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  if (!validator.Check(known)) throw refusalFor(schema, validator.Errors(known)[1][0]);
  for (const key of Object.keys(known)) refuseUnstorable(key, known[key]);
  return known as Static<S>;
}

/** Without the optional fields that are `null`, at any depth that the schema describes; a caller's own keys stay. */
function withoutNulls(schema: JsonSchema | undefined, value: unknown): unknown {
  if (schema?.items && Array.isArray(value)) return value.map((one) => withoutNulls(schema.items as JsonSchema, one));
  const { properties, required = [] } = schema ?? {};
  if (!properties || !isObject(value)) return value;
  const known = (key: string): boolean => Object.hasOwn(properties, key);
  const entries = Object.entries(value).filter(([key, one]) => one !== null || !known(key) || required.includes(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, known(key) ? withoutNulls(properties[key], one) : one]));
}

/** At most so many are named, each cut at so many characters. */
const [MAX_UNKNOWN_FIELDS, MAX_FIELD_NAME_CHARACTERS] = [10, 40];

/**
 * The fields of a body that its schema does not name, such as `nmae, meta.modle`, in a form that fits a header: what is not
 * plain ASCII is percent-encoded. '' where there are none. A caller's own maps have no unknown fields.
 */
export function unknownFields(schema: TObject, body: unknown): string {
  const found = listUnknownFields(schema, body);
  const named = found
    .slice(0, MAX_UNKNOWN_FIELDS)
    .map((name) => encodeURIComponent(name.toWellFormed().slice(0, MAX_FIELD_NAME_CHARACTERS).toWellFormed()));
  return [...named, ...(found.length > MAX_UNKNOWN_FIELDS ? ['...'] : [])].join(', ');
}

/** The same as a list, as they were sent: the first `MAX_UNKNOWN_FIELDS`, and one more where there are more. */
export function listUnknownFields(schema: TObject, body: unknown): string[] {
  const found: string[] = [];
  collectUnknown(schema as JsonSchema, body, '', found);
  return found;
}

function collectUnknown(schema: JsonSchema, value: unknown, place: string, found: string[]): void {
  if (Array.isArray(value)) {
    if (schema.items && !Array.isArray(schema.items)) {
      for (const one of value) collectUnknown(schema.items, one, place, found);
    }
    return;
  }
  const { properties } = schema;
  if (!properties || schema.additionalProperties || !isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (found.length > MAX_UNKNOWN_FIELDS) return;
    const name = place + key;
    if (Object.hasOwn(properties, key)) collectUnknown(properties[key]!, inner, `${name}.`, found);
    else if (!found.includes(name)) found.push(name);
  }
}

/**
 * An object within the body, such as `tags[0]`. The refusal's sentence says where; its field is `field`, or the
 * place and the field within it.
 */
export function validateWithin<S extends TObject>(place: string, schema: S, value: unknown, field?: string): Static<S> {
  if (!isObject(value)) throw invalid(field ?? place, `${place} must be an object`);
  try {
    return validate(schema, value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw invalid(field ?? `${place}.${error.field}`, `${place}.${error.message}`);
  }
}

/** A list of such objects; the refusal's field is the list's. */
export function validateList<S extends TObject>(field: string, schema: S, value: unknown, maxItems = 100): Static<S>[] {
  if (!Array.isArray(value)) throw invalid(field, `${field} must be a list`);
  if (value.length > maxItems) throw invalid(field, `${field} must be a list of at most ${maxItems}`);
  return value.map((one, at) => validateWithin(`${field}[${at}]`, schema, one, field));
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Refuses keys, at any depth, with which the caller's own names could reach into an object's prototype. */
export function refusePrototypeKeys(field: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.has(key)) throw invalid(field, `${field} must not hold a key named ${key}`);
    refusePrototypeKeys(field, inner);
  }
}

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function refusalFor(schema: TObject, error: TLocalizedValidationError | undefined): Refusal {
  const missing = error?.keyword === 'required' && error.params.requiredProperties[0];
  const path = `${error?.instancePath ?? ''}${missing ? `/${missing}` : ''}`.slice(1).split('/');
  const field = path[0] ?? '';
  if (missing) return invalid(path.join('.'), `${path.join('.')} is required`);
  return invalid(field, `${field} must be ${describeExpected(schema.properties[field])}`);
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: JsonSchema[] | JsonSchema;
  maxItems?: number;
  pattern?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

function describeExpected(schema: TSchema | undefined): string {
  const s = (schema ?? {}) as JsonSchema;
  if (s.enum) return `one of ${s.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.anyOf) return s.anyOf.map(describeExpected).join(' or ');
  if (s.type === 'string') return s.pattern ? (s.description ?? 'a string of the right form') : `a string${lengths(s)}`;
  if (s.type === 'integer') return `a whole number${range(s)}`;
  if (s.type === 'number') return `a number${range(s)}`;
  if (s.type === 'boolean') return 'true or false';
  if (s.type === 'array' && Array.isArray(s.items)) return `a list of ${s.items.map(describeExpected).join(' and ')}`;
  if (s.type === 'array') return s.description ?? listOf(s);
  return s.type === 'object' ? (s.description ?? 'an object') : 'valid';
}

const listOf = ({ items, maxItems }: JsonSchema): string =>
  `a list${maxItems === undefined ? '' : ` of at most ${maxItems}`}${items ? `, each ${describeExpected(items as TSchema)}` : ''}`;

function lengths({ minLength, maxLength }: JsonSchema): string {
  if (maxLength === undefined) return minLength ? ' that is not empty' : '';
  return minLength ? ` of ${minLength} to ${maxLength} characters` : ` of at most ${maxLength} characters`;
}

const range = ({ minimum, maximum }: JsonSchema): string =>
  minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;

const MAX_DEPTH = 20;

/**
 * PostgreSQL takes no NUL, UTF-8 no half of a surrogate pair, JSON no infinity (which `1e999` is read as), and the stack
 * no nesting without end.
 */
function refuseUnstorable(field: string, value: unknown, depth = 1): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(field, `${field} must not contain a NUL character`);
    if (!value.isWellFormed()) throw invalid(field, `${field} must be well-formed Unicode text`);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(field, `${field} must not contain a number that is too large`);
  } else if (value !== null && typeof value === 'object') {
    if (depth > MAX_DEPTH) throw invalid(field, `${field} must not be nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, inner] of Object.entries(value)) {
      refuseUnstorable(field, key);
      refuseUnstorable(field, inner, depth + 1);
    }
  }
}
