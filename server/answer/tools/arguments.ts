import { createContext, Script } from 'node:vm';
import { Check, Errors } from 'typebox/schema';
import { fill, missingIn, namesIn, typedValue, type Value, type Values } from '../../agents/variables.ts';
import { jsonIn } from '../../schema/json.ts';
import type { ToolFunction } from '../../schema/records.ts';
import { isObject, refusePrototypeKeys } from '../../schema/validate.ts';

export type Arguments = Record<string, unknown>;

/** What is wrong with a call, as the model is told. */
export interface Fault {
  fault: string;
}

type Parameters = Pick<ToolFunction, 'parameters'>;

/** UTF-16 units of JSON: also bounds what a pattern of the owner's is run on. */
const MAX_ARGUMENTS_LENGTH = 20_000;
/** Faults that are named to the model. */
const MAX_FAULTS = 5;

/**
 * The arguments that a model wrote, with the function's defaults for those left out, checked against its `parameters`. A
 * name that these do not have is a fault unless they say `additionalProperties`. What a variable of `fixed` fills is as the
 * variable says, whatever was written.
 */
export function readArguments(
  { parameters }: Parameters,
  text: string,
  values: Values,
  fixed: ReadonlySet<string> = NONE,
): { args: Arguments } | Fault {
  if (text.length > MAX_ARGUMENTS_LENGTH) return { fault: 'the arguments are too long' };
  const sent = jsonIn(text.trim() || '{}');
  if (!isObject(sent)) return { fault: 'the arguments must be one JSON object' };
  try {
    refusePrototypeKeys('arguments', sent);
    // Throws where they are nested too deeply to be sent.
    callKey({ uuid: '' }, sent);
    const args = withDefaults(parameters, withoutNulls(parameters, sent), values, fixed);
    return withinTime(() => checked(parameters, args));
  } catch {
    // The owner's schema may hold a pattern that is none or takes too long, or refer to itself without end.
    return { fault: 'the arguments cannot be checked' };
  }
}

/** Equal for calls of one function with the same arguments, in whatever order they were written. */
export function callKey({ uuid }: Pick<ToolFunction, 'uuid'>, args: Arguments): string {
  const sorted = (_: string, value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  return `${uuid} ${JSON.stringify(args, sorted)}`;
}

/** Milliseconds for a check by the owner's schema: patterns and references in it may take longer than anybody waits. */
const MAX_CHECK_MS = 500;

const context = createContext({});
const script = new Script('check()');

/** The result of `check`. Throws after `MAX_CHECK_MS`: only such a script can be ended while it runs. */
function withinTime<T>(check: () => T): T {
  return script.runInContext(Object.assign(context, { check }), { timeout: MAX_CHECK_MS }) as T;
}

/**
 * The arguments where nobody fills them: defaults, and the variables that go by the names of required parameters. Undefined
 * where a required one is missing.
 */
export function argumentsFromVariables(
  { parameters }: Parameters,
  values: Values,
  fixed: ReadonlySet<string>,
): Arguments | undefined {
  const known = requiredOf(parameters).filter((name) => Object.hasOwn(values, name));
  const sent = Object.fromEntries(known.map((name) => [name, values[name]]));
  const read = readArguments({ parameters }, JSON.stringify(sent), values, fixed);
  return 'args' in read ? read.args : undefined;
}

/** The variables without a value that required parameters need where nobody fills these. */
export function missingRequired({ parameters }: Parameters, values: Values): string[] {
  const properties = propertiesOf(parameters);
  return requiredOf(parameters)
    .filter((name) => !Object.hasOwn(values, name))
    .flatMap((name) => {
      const { default: value } = properties[name] ?? {};
      return value === undefined ? [name] : templatesIn(value).flatMap((template) => missingIn(template, values));
    });
}

/** The arguments without those that a variable of `fixed` fills, which nobody is to see. */
export const withoutFixed = ({ parameters }: Parameters, args: Arguments, fixed: ReadonlySet<string>): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !isFixed(propertiesOf(parameters)[name], fixed)));

const NONE: ReadonlySet<string> = new Set();

/** Whether a variable of `fixed` fills the default. */
function isFixed(schema: Record<string, unknown> | undefined, fixed: ReadonlySet<string>): boolean {
  if (fixed.size === 0) return false;
  return templatesIn(schema?.['default']).some((template) => namesIn(template).some((name) => fixed.has(name)));
}

/** `parameters` as the model gets them: it need not know what a variable fills, and has no part in what a static one does. */
export function offeredParameters(parameters: ToolFunction['parameters'], fixed: ReadonlySet<string>): object {
  const properties = Object.entries(propertiesOf(parameters)).filter(([, schema]) => !isFixed(schema, fixed));
  const filled = new Set(
    properties.filter(([, { default: value }]) => templatesIn(value).length > 0).map(([name]) => name),
  );
  return {
    type: 'object',
    ...parameters,
    properties: Object.fromEntries(
      properties.map(([name, schema]) => [name, filled.has(name) ? withoutDefault(schema) : schema]),
    ),
    required: requiredOf(parameters).filter(
      (name) => !filled.has(name) && !isFixed(propertiesOf(parameters)[name], fixed),
    ),
  };
}

const withoutDefault = (schema: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'default'));

function checked(parameters: ToolFunction['parameters'], args: Arguments): { args: Arguments } | Fault {
  const isOpen = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'].some(
    (key) => key in parameters,
  );
  const schema = {
    type: 'object',
    ...parameters,
    properties: propertiesOf(parameters),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
  if (Check(schema, args)) return { args };
  const faults = Errors(schema, args)[1].filter(({ keyword }) => keyword !== 'boolean');
  const sentences = faults.map(({ instancePath, message }) => `${instancePath.slice(1) || 'the arguments'} ${message}`);
  return { fault: sentences.slice(0, MAX_FAULTS).join('; ').slice(0, 500) || 'the arguments are invalid' };
}

/** Models send `null` for what they leave out. */
function withoutNulls(parameters: ToolFunction['parameters'], sent: Arguments): Arguments {
  const required = requiredOf(parameters);
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => value !== null || required.includes(name)));
}

function withDefaults(
  parameters: ToolFunction['parameters'],
  sent: Arguments,
  values: Values,
  fixed: ReadonlySet<string>,
): Arguments {
  const args = { ...sent };
  for (const [name, schema] of Object.entries(propertiesOf(parameters))) {
    const isOwn = isFixed(schema, fixed);
    if (isOwn) delete args[name];
    if (Object.hasOwn(args, name) || !('default' in schema)) continue;
    const value = filledDefault(schema['default'], schema, values);
    if (value !== undefined) args[name] = value;
  }
  return args;
}

/** With the texts in lists and objects of it. Undefined where a variable of it has no value, or one of another type. */
function filledDefault(value: unknown, schema: unknown, values: Values): unknown {
  if (templatesIn(value).length === 0) return value;
  const { type, items, properties } = Object(schema) as Record<string, unknown>;
  if (typeof value === 'string') {
    const filled = filledWhole(value, values);
    return filled === undefined ? undefined : typedAs(type, filled);
  }
  if (Array.isArray(value)) {
    const filled = value.map((one: unknown) => filledDefault(one, items, values));
    return filled.includes(undefined) ? undefined : filled;
  }
  const schemas = Object(properties) as Record<string, unknown>;
  const entries = Object.entries(value as object).map(([name, one]) => [
    name,
    filledDefault(one, Object.hasOwn(schemas, name) ? schemas[name] : undefined, values),
  ]);
  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries);
}

/** The text as the first type that it can be of `type`, a name or a list of them; as it is where none is given. */
function typedAs(type: unknown, text: string): Value | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  for (const one of types) {
    const value = typedValue(one === 'integer' ? 'number' : String(one), text);
    if (value !== undefined && (one !== 'integer' || types.length === 1 || Number.isInteger(value))) return value;
  }
  return undefined;
}

/** The template with the text of each variable; undefined where one has no value. */
export function filledWhole(
  template: string,
  values: Values,
  write: (value: Value) => string = String,
): string | undefined {
  const isMissing = fill(template, values, () => '').includes('{{');
  return isMissing ? undefined : fill(template, values, write);
}

/** All texts of the arguments, in order. */
export function textIn(args: Arguments): string {
  const texts: string[] = [];
  JSON.stringify(args, (name, value: unknown) => {
    texts.push(name, ...(typeof value === 'string' ? [value] : []));
    return value;
  });
  return texts.join(' ');
}

/** The texts with a placeholder in the default of each parameter. */
export const defaultTemplates = ({ parameters }: Parameters): [parameter: string, template: string][] =>
  Object.entries(propertiesOf(parameters)).flatMap(([name, schema]) =>
    templatesIn(schema['default']).map((template): [string, string] => [name, template]),
  );

/** The texts of a default that have a placeholder. */
function templatesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('{{') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(templatesIn);
}

function propertiesOf({ properties }: ToolFunction['parameters']): Record<string, Record<string, unknown>> {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1])),
  );
}

const requiredOf = ({ required }: ToolFunction['parameters']): string[] =>
  Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
