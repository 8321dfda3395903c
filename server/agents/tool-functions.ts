import { invalid } from '../schema/errors.ts';
import { nextModifiedAt, newUuid, timestamp, view, type Clock } from '../schema/ids.ts';
import { ToolFunction } from '../schema/records.ts';
import type { StoredAgent } from '../store/store.ts';
import { isObject, refusePrototypeKeys } from '../schema/validate.ts';

/** The fields of a tool function that requests set. */
export type FunctionFields = Omit<ToolFunction, 'uuid' | 'created_at' | 'modified_at'>;
type RequiredFields = Pick<FunctionFields, 'name' | 'external_url'>;

/** The record of a new tool function, with defaults for fields that are not sent. */
export function newFunction(
  { name, external_url }: RequiredFields,
  sent: Partial<FunctionFields>,
  clock: Clock,
): ToolFunction {
  const now = timestamp(clock);
  return { uuid: newUuid(), ...FUNCTION_DEFAULTS, name, external_url, ...sent, created_at: now, modified_at: now };
}

const FUNCTION_DEFAULTS = {
  description: '',
  parameters: { type: 'object', properties: {}, required: [] },
  headers: {},
  enabled: 1,
  method: 'POST',
  meta: {},
} as const;

/** Throws `invalid` for fields that no HTTP request can be made with, and for keys that could change prototypes. */
export function refuseUncallable({ parameters, headers, external_url, meta }: Partial<FunctionFields>): void {
  if (parameters !== undefined) refuseParameters(parameters);
  if (headers !== undefined) refuseHeaders(headers);
  if (external_url !== undefined) refuseUrl(external_url);
  if (meta !== undefined) refuseMeta(meta);
}

/** Bytes of JSON of an object whose keys the caller chooses. */
const MAX_JSON_BYTES = 100_000;

/** The JSON Schema of the arguments, which goes to the model: checked at the top level only. */
function refuseParameters(parameters: Record<string, unknown>): void {
  const wrong = (sentence: string) => invalid('parameters', `parameters${sentence}`);
  refuseLarge('parameters', parameters);
  const { type = 'object', properties = {}, required = [] } = parameters;
  if (type !== 'object') throw wrong('.type must be "object"');
  if (!isObject(properties)) throw wrong('.properties must be an object');
  if (!Object.values(properties).every(isObject)) throw wrong('.properties must hold an object for each name');
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
    throw wrong('.required must be a list of names');
  }
}

function refuseLarge(field: string, value: Record<string, unknown>): void {
  refusePrototypeKeys(field, value);
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_JSON_BYTES)
    throw invalid(field, `${field} must be at most 100 kB of JSON`);
}

const MAX_HEADERS = 100;
/** RFC 9110: a token, and a value of visible characters, spaces and tabs. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,200}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8000}$/;

function refuseHeaders(headers: Record<string, unknown>): void {
  refusePrototypeKeys('headers', headers);
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw invalid('headers', `headers must be at most ${MAX_HEADERS}`);
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name)) throw invalid('headers', 'headers must have names that HTTP allows');
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      throw invalid('headers', `headers must hold a string of one line of Latin-1 for ${name}`);
    }
  }
}

const MAX_TOOL_EXAMPLES = 100;
const MAX_META_TEXT = 1000;

/** Keys of `meta` that Docent reads; all others are the owner's own. */
export const META_KEYS = ['class', 'step', 'examples'];

function refuseMeta(meta: Record<string, unknown>): void {
  refuseLarge('meta', meta);
  const isText = (value: unknown): boolean =>
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_META_TEXT;
  const { class: kind, step, examples } = meta;
  if (kind !== undefined && !TOOL_CLASSES.includes(kind as ToolClass))
    throw invalid('meta.class', 'meta.class must be "read", "write" or "ask"');
  if (step !== undefined && !isText(step))
    throw invalid('meta.step', `meta.step must be a text of 1 to ${MAX_META_TEXT} characters`);
  const isList = Array.isArray(examples) && examples.length <= MAX_TOOL_EXAMPLES && examples.every(isText);
  if (examples !== undefined && !isList) {
    throw invalid(
      'meta.examples',
      `meta.examples must be a list of at most ${MAX_TOOL_EXAMPLES} texts of 1 to ${MAX_META_TEXT} characters`,
    );
  }
}

function refuseUrl(value: string): void {
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw invalid('external_url', 'external_url must be a whole http or https address');
  if (url.username || url.password) {
    throw invalid('external_url', 'external_url must not hold a user name or a password');
  }
  // A visitor's value must not choose the server that gets the headers.
  if (url.host.includes('{')) {
    throw invalid('external_url', 'external_url must not hold a {{variable}} before its path');
  }
}

/** `ask`: the visitor confirms the call before it is made. */
type ToolClass = 'read' | 'write' | 'ask';
const TOOL_CLASSES: readonly ToolClass[] = ['read', 'write', 'ask'];

/** As `meta.class` says; `read` for GET and `write` for the others by default. */
export function classOf({ meta, method }: Pick<ToolFunction, 'meta' | 'method'>): ToolClass {
  const named = TOOL_CLASSES.find((one) => one === meta['class']);
  return named ?? (method === 'GET' ? 'read' : 'write');
}

/** What visitors are told while the function runs: `meta.step`, or its name. */
export const stepOf = ({ meta, name }: Pick<ToolFunction, 'meta' | 'name'>): string =>
  typeof meta['step'] === 'string' && meta['step'].trim() !== '' ? meta['step'] : name;

/** Sentences that call the function where no model answers: `meta.examples`. */
export const examplesOf = ({ meta }: Pick<ToolFunction, 'meta'>): string[] =>
  Array.isArray(meta['examples']) ? meta['examples'].filter((one) => typeof one === 'string') : [];

/** Of the enabled functions that only read, as others are not called by an example. */
export const examplesOfReads = (functions: readonly ToolFunction[]): string[] =>
  functions.filter((one) => one.enabled === 1 && classOf(one) === 'read').flatMap(examplesOf);

/** The function as the API returns it: of its headers' values the last four characters alone. */
export const functionView = (stored: ToolFunction): ToolFunction => ({
  ...view<ToolFunction>(ToolFunction, stored),
  headers: Object.fromEntries(Object.entries(stored.headers).map(([name, value]) => [name, masked(value)])),
});

const MASK = '****';
/** Of a shorter value four characters would be most of it. */
const MIN_SHOWN_LENGTH = 8;
const masked = (value: string): string =>
  value === '' ? '' : MASK + (value.length < MIN_SHOWN_LENGTH ? '' : value.slice(-MASK.length));

const isMasked = (value: string): boolean => value.startsWith(MASK) && value.length <= 2 * MASK.length;

/**
 * The headers of an update, with the stored value where the masked one is sent back. Throws `invalid` for a masked value
 * that no stored header has.
 */
export function withStoredValues(sent: Record<string, string>, stored: Record<string, string>): Record<string, string> {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const restored = Object.entries(sent).map(([name, value]) => {
    if (!isMasked(value)) return [name, value];
    const whole = known.get(name.toLowerCase());
    if (whole === undefined || masked(whole) !== value)
      throw invalid('headers', `headers must hold the value of ${name}, not what is shown of it`);
    return [name, whole];
  });
  return Object.fromEntries(restored) as Record<string, string>;
}

/** Throws `invalid` where values stored for one server would go to another: nobody is to read them by a new address. */
export function refuseToMoveHeaders(
  from: string,
  stored: Record<string, string>,
  { external_url: to, headers }: Partial<FunctionFields>,
): void {
  if (to === undefined || originOf(from) === originOf(to)) return;
  const kept = Object.entries(headers ?? stored)
    .filter(([, value]) => (headers ? isMasked(value) : value !== ''))
    .map(([name]) => name);
  if (kept.length === 0) return;
  throw invalid(
    'headers',
    `headers must hold the values anew, as external_url is of another origin: ${kept.join(', ')}`,
  );
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** UTF-16 units. */
export const MAX_CALLED_NAME_LENGTH = 64;

/** The name that the model calls a function by: model servers take letters, digits, `_` and `-` alone. */
export const calledName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_CALLED_NAME_LENGTH) || 'function';

/** Replaces the tool functions, which counts as a change of the agent. */
export function withFunctions(agent: StoredAgent, functions: ToolFunction[], clock: Clock): StoredAgent {
  return { ...agent, tool_functions: functions, modified_at: nextModifiedAt(agent.modified_at, clock) };
}
