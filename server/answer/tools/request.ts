import { isStatic, missingIn, type Declared, type Value, type Values } from '../../agents/variables.ts';
import type { ToolFunction } from '../../schema/records.ts';
import type { Call, Caller, CallReply } from '../../web/call.ts';
import { filledWhole, missingRequired, type Arguments, type Fault } from './arguments.ts';
import { secretsIn, staticSecretsIn, withoutSecrets } from './header-values.ts';

type Callable = Pick<ToolFunction, 'external_url' | 'method' | 'headers' | 'parameters'>;

export interface Request extends Call {
  /** What of its headers, and of static variables in it, the reply must not repeat. */
  secrets: string[];
}

interface SessionVariables {
  values: Values;
  variables: Declared;
  /** As `secretsIn` has them. */
  hidden: ReadonlySet<string>;
  collected: ReadonlySet<string>;
}

/** The request of a call: GET and DELETE send the arguments as query parameters, the others as a JSON body. */
export function requestOf(one: Callable, args: Arguments, values: Values, session: SessionVariables): Request | Fault {
  const lacking = lackingFor({ ...one, parameters: {} }, values, session.variables);
  if (lacking) return lacking;
  const url = urlOf(one.external_url, values);
  if (!url) return { fault: 'the value of a variable does not fit into the address' };
  const headers = headersOf(one.headers, values);
  if (!headers) return { fault: 'a variable of the headers has no value that fits' };
  // A call that waited has the values of its address and headers alone.
  const fixed = staticSecretsIn(one, { ...session.values, ...values }, session.hidden);
  const secrets = [...secretsIn(one.headers, values, session), ...fixed];
  const { method } = one;
  if (method === 'GET' || method === 'DELETE') {
    for (const [name, value] of Object.entries(args)) addToQuery(url, name, value);
    return { url, method, headers: { ...ACCEPT, ...headers }, secrets };
  }
  const body = JSON.stringify(args);
  return { url, method, headers: { ...ACCEPT, 'content-type': 'application/json', ...headers }, body, secrets };
}

/** Sends the request; its secrets are hidden in the reply. Rejects with a `CallFailure`. */
export async function sendHidden(
  caller: Pick<Caller, 'call'>,
  request: Request,
  signal: AbortSignal,
): Promise<CallReply> {
  const reply = await caller.call(request, signal);
  return { ...reply, text: withoutSecrets(reply.text, request.secrets) };
}

/** UTF-16 units. */
const MAX_DESCRIPTION = 300;

/**
 * The variables without a value that the address or a required parameter of the function needs, as a model is told, and
 * what visitors are to be asked for: nothing where one of them is not collected from what they write. `missing`: their names.
 */
export function lackingFor(
  { external_url, parameters }: Pick<ToolFunction, 'external_url' | 'parameters'>,
  values: Values,
  variables: Declared,
): (Fault & { needed: string[]; missing: string[] }) | undefined {
  const missing = new Set([...missingIn(external_url, values), ...missingRequired({ parameters }, values)]);
  if (missing.size === 0) return undefined;
  const faults: string[] = [];
  const needed: string[] = [];
  for (const name of missing) {
    const variable = variables.get(name);
    const description = variable?.description.slice(0, MAX_DESCRIPTION).toWellFormed();
    if (variable && !isStatic(variable)) needed.push(description || name);
    faults.push(
      variable && !isStatic(variable)
        ? `${description ? `${name} (${description})` : name} is not known yet: ask the visitor for it`
        : `the variable ${name} has no value`,
    );
  }
  return { fault: faults.join('; '), needed: needed.length === missing.size ? needed : [], missing: [...missing] };
}

const ACCEPT = { accept: 'application/json, text/plain;q=0.9, */*;q=0.1' };

/** Undefined where a variable has a value that would change the path or the server. */
function urlOf(template: string, values: Values): URL | undefined {
  let isOther = false;
  const inAddress = (value: Value): string => encodeURIComponent(String(value).toWellFormed());
  const inPath = (value: Value): string => {
    isOther ||= CHANGES_PATH.test(String(value));
    return inAddress(value);
  };
  const end = template.search(/[?#]|$/);
  const path = filledWhole(template.slice(0, end), values, inPath);
  const query = filledWhole(template.slice(end), values, inAddress);
  if (path === undefined || query === undefined || isOther || !URL.canParse(path + query)) return undefined;
  return new URL(template).host.includes('{') ? undefined : new URL(path + query);
}

/** `..` goes up a folder: no encoding of it does not, and some servers decode the slashes around it first. */
const CHANGES_PATH = /(?:^|[/\\])\.+(?:$|[/\\])|\p{Cc}/u;

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names in lower case. Undefined where a variable has no value, or one that is no part of a header. */
function headersOf(templates: Record<string, string>, values: Values): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const filled = filledWhole(template, values);
    if (filled === undefined || !HEADER_VALUE.test(filled)) return undefined;
    headers[name.toLowerCase()] = filled;
  }
  return headers;
}

/** A list is repeated; an object is sent as JSON. */
function addToQuery({ searchParams }: URL, name: string, value: unknown): void {
  searchParams.delete(name);
  for (const one of Array.isArray(value) ? value : [value])
    searchParams.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
}
