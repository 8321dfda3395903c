import * as Type from 'typebox';
import type { TObject, TProperties } from 'typebox';
import type { Part } from '../types.ts';
import { invalid } from './errors.ts';
import { literals, record } from './fields.ts';
import { objectIn } from './json.ts';
import { isObject, validateWithin } from './validate.ts';

/** Typed parts that an answer has beside its text: what an owner or a tool function may send, checked. */

export const MAX_PARTS = 4;

const line = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*\\S[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: `a line of 1 to ${maxLength} characters`,
  });
const some = (maxItems: number, properties: TProperties) =>
  Type.Array(record(properties), { minItems: 1, maxItems, description: `a list of 1 to ${maxItems} objects` });

/** Buttons below the answer while it is the last one: each asks its `query`, else its `label`. */
const QuickReplies = record({
  type: Type.Literal('quick_replies'),
  replies: some(6, {
    label: line(80),
    query: Type.Optional(line(500)),
  }),
});

/** A form: its button asks `submit`, with the values of its fields as `variables`. */
const Form = record({
  type: Type.Literal('form'),
  title: Type.Optional(line(200)),
  fields: some(8, {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'the name of a variable' }),
    label: line(100),
    kind: literals('What the field takes.', 'text', 'email', 'long_text'),
    required: Type.Optional(Type.Boolean()),
  }),
  submit: line(80),
});

/** Links, with a line of text each. */
const LinkCards = record({
  type: Type.Literal('link_cards'),
  cards: some(6, {
    title: line(200),
    url: Type.String({
      maxLength: 2048,
      pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?://|[Mm][Aa][Ii][Ll][Tt][Oo]:)[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'an http, https or mailto address',
    }),
    text: Type.Optional(line(300)),
  }),
});

const SCHEMAS = new Map<unknown, TObject>([
  ['quick_replies', QuickReplies],
  ['form', Form],
  ['link_cards', LinkCards],
]);
const TYPES = Array.from(SCHEMAS.keys(), (type) => JSON.stringify(type)).join(', ');

const partsSchema = (description: string) =>
  Type.Unsafe<Part[]>(Type.Array(Type.Union([QuickReplies, Form, LinkCards]), { maxItems: MAX_PARTS, description }));

export const Parts = partsSchema('Buttons, forms and links that stand below the text. Absent where there are none.');
export const TraceParts = partsSchema('Buttons, forms and links below the text, as the visitor gets them.');
export const AgentParts = Type.Optional(
  partsSchema(`a list of at most ${MAX_PARTS} parts below the answer: buttons, forms, links. Absent until it is set`),
);

/** The parts, without unknown fields. Throws a `Refusal` that names the invalid one. */
export function checkParts(field: string, value: unknown): Part[] {
  if (!Array.isArray(value) || value.length > MAX_PARTS)
    throw invalid(field, `${field} must be a list of at most ${MAX_PARTS} parts`);
  return value.map((one, at) => checkPart(field, `${field}[${at}]`, one));
}

function checkPart(field: string, place: string, value: unknown): Part {
  const schema = isObject(value) ? SCHEMAS.get(value['type']) : undefined;
  if (!schema) throw invalid(field, `${place}.type must be one of ${TYPES}`);
  const part = validateWithin(place, schema, onlyKnown(schema, value), field) as unknown as Part;
  const wrong = part.type === 'link_cards' && part.cards.find(({ url }) => !URL.canParse(url));
  if (wrong) throw invalid(field, `${place}.cards must hold whole addresses`);
  return part;
}

/** The valid ones of parts that come from elsewhere, at most `MAX_PARTS`. */
export function readParts(value: unknown): Part[] {
  const all: unknown[] = Array.isArray(value) ? value : [];
  return all.slice(0, MAX_PARTS).flatMap((one) => {
    try {
      return checkPart('parts', 'parts', one);
    } catch {
      return [];
    }
  });
}

/** The parts in a message's `meta_json`. */
export const partsIn = (metaJson: string): Part[] =>
  metaJson.includes('"parts"') ? readParts(objectIn(metaJson)['parts']) : [];

interface Known {
  properties?: Record<string, Known>;
  items?: Known;
}

function onlyKnown({ properties, items }: Known, value: unknown): unknown {
  if (items && Array.isArray(value)) return value.map((one) => onlyKnown(items, one));
  if (!properties || !isObject(value)) return value;
  const entries = Object.entries(value).filter(([key, one]) => Object.hasOwn(properties, key) && one !== null);
  return Object.fromEntries(entries.map(([key, one]) => [key, onlyKnown(properties[key]!, one)]));
}
