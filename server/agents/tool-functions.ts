import { invalid } from '../schema/errors.ts';
import { nextModifiedAt, newUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { ToolFunction } from '../schema/records.ts';
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
  if (meta !== undefined) refuseLarge('meta', meta);
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

function refuseUrl(value: string): void {
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw invalid('external_url', 'external_url must be a whole http or https address');
  if (url.username || url.password) {
    throw invalid('external_url', 'external_url must not hold a user name or a password');
  }
}

/** Replaces the tool functions, which counts as a change of the agent. */
export function withFunctions(agent: StoredAgent, functions: ToolFunction[], clock: Clock): StoredAgent {
  return { ...agent, tool_functions: functions, modified_at: nextModifiedAt(agent.modified_at, clock) };
}
