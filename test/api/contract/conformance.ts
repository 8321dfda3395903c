import { Compile } from 'typebox/schema';

/** Replies against the OpenAPI document: what it does not tell of, and any key it does not name, is a fault. */

export interface Exchange {
  method: string;
  /** Whole, from /api on. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed where it is JSON. */
  body: unknown;
}

type Json = Record<string, unknown>;
interface Media {
  schema: Json;
}
interface Told {
  $ref?: string;
  headers?: Json;
  content?: Record<string, Media>;
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Told> }>>;
  components: { schemas: Json; responses: Record<string, Told> };
}

/** Says what is wrong with a reply, in sentences; nothing where it is as the document has it. */
export function conformance(json: unknown): (exchange: Exchange) => string[] {
  const document = json as Document;
  const components = closed(document.components) as Json;
  const compiled = new Map<unknown, ReturnType<typeof Compile>>();
  const check = (schema: Json): ReturnType<typeof Compile> => {
    const known = compiled.get(schema) ?? Compile({ ...(closed(schema) as Json), components });
    compiled.set(schema, known);
    return known;
  };

  function told({ method, path, status }: Exchange): Told | undefined {
    const item = document.paths[templateOf(document, path) ?? ''];
    const operation = item?.[(method === 'HEAD' ? 'get' : method).toLowerCase()];
    // No operation: what is said of that is the same everywhere.
    if (!operation)
      return [401, 403, 404, 405].includes(status) ? document.components.responses['NotFound'] : undefined;
    const one = operation.responses[status];
    return one?.$ref ? document.components.responses[one.$ref.split('/').at(-1) ?? ''] : one;
  }

  return (exchange) => {
    const reply = told(exchange);
    if (!reply) return [`the document tells of no ${exchange.status} here`];
    return [...faultsOfHeaders(exchange, reply), ...faultsOfBody(exchange, reply, check)];
  };
}

/** The path of the document that this one is, the most literal first. */
function templateOf({ paths }: Document, path: string): string | undefined {
  const bare = path.split('?')[0] ?? '';
  const fits = (template: string): boolean => patternOf(template).test(bare);
  return Object.keys(paths)
    .filter(fits)
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
}

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known) return known;
  const pattern = new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
  patterns.set(template, pattern);
  return pattern;
}

function faultsOfHeaders({ status, headers }: Exchange, { headers: told = {}, content = {} }: Told): string[] {
  const wanted = [...Object.keys(told), ...(status === 405 ? ['Allow'] : [])];
  const missing = wanted.filter((name) => !headers.has(name)).map((name) => `no ${name} header`);
  const type = headers.get('content-type') ?? '';
  const types = Object.keys(content);
  const known = types.some((one) => type === `${one}; charset=utf-8`);
  return known ? missing : [...missing, `content-type ${type} instead of ${types.join(' or ')} in UTF-8`];
}

function faultsOfBody(
  { method, body }: Exchange,
  { content = {} }: Told,
  check: (schema: Json) => ReturnType<typeof Compile>,
): string[] {
  const [media] = Object.values(content);
  if (!media || method === 'HEAD') return [];
  const schema = check(media.schema);
  const errors = schema.Check(body) ? [] : schema.Errors(body)[1];
  const wrong = errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
  return [...wrong, ...badStrings(body), ...badSentence(body)];
}

function badSentence(body: unknown): string[] {
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown };
  return code !== undefined && /^[A-Z]/.test(String(error)) ? [`"${String(error)}" begins with a capital`] : [];
}

/** Every string whose name ends in `_json` holds a JSON object; in `words` the owner chooses the names. */
function badStrings(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'words') return [];
    if (key.endsWith('_json') && typeof inner === 'string' && !holdsObject(inner))
      return [`${at}/${key} holds no JSON object`];
    return badStrings(inner, `${at}/${key}`);
  });
}

function holdsObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The same schemas, in which an object that says nothing of other keys refuses them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const one = Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, closed(inner)]));
  const says = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'].some((word) => word in one);
  return one['type'] === 'object' && 'properties' in one && !says ? { ...one, additionalProperties: false } : one;
}
