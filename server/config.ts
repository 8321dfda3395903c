import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { readMail, type MailSettings } from './config/mail.ts';
import { readHostPorts, readNetworks } from './config/networks.ts';
import { MODEL_NAME, parseModels, type ModelEntry } from './schema/models-file.ts';
import { nearestWord } from './schema/nearest-word.ts';

/** Every variable that is read; the table of server/docs/settings.md lists them. */
export const VARIABLES = [
  'HOST',
  'PORT',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_POOL',
  'API_KEY',
  'PUBLIC_URL',
  'TRUST_PROXY_HOPS',
  'DEMO',
  'CONSOLE',
  'CONSOLE_ALLOW',
  'LOG_LEVEL',
  'AUDIT_DAYS',
  'FETCH_ALLOW',
  'FALLBACK',
  'CHECK_CITATIONS',
  'ANSWER_TIMEOUT',
  'FIRST_TOKEN_TIMEOUT',
  'MAX_ANSWERS',
  'LLM_BASE_URL',
  'LLM_MODEL',
  'LLM_API_KEY',
  'EMBED_MODEL',
  'EMBED_BASE_URL',
  'EMBED_API_KEY',
  'MODEL_PREFIX',
  'MODEL_CREDITS',
  'MODELS_FILE',
  'MODEL_CONCURRENCY',
  'MONTHLY_CREDITS',
  'UPSTREAM_URL',
  'UPSTREAM_API_KEY',
  'SMTP_URL',
  'MAIL_FROM',
  'OWNER_EMAIL',
] as const;

type Read = (name: (typeof VARIABLES)[number]) => string | undefined;

/** A sentence for each variable that is set and was probably meant to be one of these; none contains its value. */
export function misspeltVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).flatMap((name) => {
    const upper = name.toUpperCase();
    const isOther = /^[A-Z_]+$/.test(upper) && !VARIABLES.some((known) => known === name);
    const meant = isOther && (VARIABLES.find((known) => known === upper) ?? nearestWord(upper, VARIABLES));
    return meant ? [`${name} is not known; did you mean ${meant}?`] : [];
  });
}

/** The validated environment. No other file reads variables. */
export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** `postgres://…`; undefined for files in `dataDir`. */
  databaseUrl: string | undefined;
  /** Connections to it at most, beside the one that listens. */
  databasePool: number;
  /** 16 to 256 printable characters. */
  apiKey: string | undefined;
  /** Without a slash at the end. */
  publicUrl: string | undefined;
  trustProxyHops: number;
  demo: boolean;
  console: boolean;
  /** The addresses that may use the console; undefined for all. */
  consoleAllow: BlockList | undefined;
  /** `host:port` entries that are exempt from the address guard. */
  fetchAllow: string[];
  /** Milliseconds after which an answer of the model or of the upstream is ended. */
  answerTimeout: number;
  /** Milliseconds that the model has for the first word of an answer, reasoning not counted. */
  firstTokenTimeout: number;
  /** Calls of the chat model under way at once; undefined for as many as there are. */
  modelConcurrency: number | undefined;
  /** Answers that may be generated at once, by all chatbots. */
  maxAnswers: number;
  /** Whether the answer is quoted from the sources where the model fails before its first word. */
  fallback: boolean;
  /** Whether the model checks the citations of its answers by a call of its own. */
  modelChecksCitations: boolean;
  llm: { baseUrl: string; model: string; apiKey: string | undefined } | undefined;
  /** `local`: a model in this process. */
  embeddings: { baseUrl: string; model: string; apiKey: string | undefined } | 'local' | undefined;
  upstream: { url: string; apiKey: string } | undefined;
  /** The server that sends mail; undefined where none is sent. */
  mail: MailSettings | undefined;
  /** `models` by name; undefined for the interface's own table. */
  catalogue: { familyPrefix: string; models: Record<string, ModelEntry> | undefined; namesTellContext: boolean };
  /** Of one user in a calendar month, UTC; undefined for no limit. */
  monthlyCredits: number | undefined;
  logLevel: string;
  /** Days that entries of the audit log are kept. */
  auditDays: number;
}

/**
 * Throws an Error that names the variable and says what it should be. An empty variable counts as unset. On a terminal
 * the log has only warnings and errors, unless LOG_LEVEL says otherwise.
 */
export function readConfig(env: NodeJS.ProcessEnv, onTerminal = false): Config {
  const read: Read = (name) => env[name] || undefined;
  return {
    host: matchPattern('HOST', read('HOST') ?? '127.0.0.1', /^[\w.:%-]+$/, 'an address or a host name to listen on'),
    port: readWholeNumber('PORT', read('PORT') ?? '8080', 65_535),
    dataDir: read('DATA_DIR') ?? './data',
    databaseUrl: readDatabaseUrl(read('DATABASE_URL')),
    databasePool: readWholeNumber('DATABASE_POOL', read('DATABASE_POOL') ?? '10', 1000, 2),
    apiKey: readApiKey(read('API_KEY')),
    publicUrl: readAddress('PUBLIC_URL', read('PUBLIC_URL')),
    trustProxyHops: readWholeNumber('TRUST_PROXY_HOPS', read('TRUST_PROXY_HOPS') ?? '0', 100),
    demo: matchPattern('DEMO', read('DEMO') ?? '1', /^[01]$/, '0 or 1') === '1',
    console: matchPattern('CONSOLE', read('CONSOLE') ?? '1', /^[01]$/, '0 or 1') === '1',
    consoleAllow: readNetworks('CONSOLE_ALLOW', read('CONSOLE_ALLOW')),
    fetchAllow: readHostPorts('FETCH_ALLOW', read('FETCH_ALLOW')),
    answerTimeout: readWholeNumber('ANSWER_TIMEOUT', read('ANSWER_TIMEOUT') ?? '120', 3600, 1) * 1000,
    firstTokenTimeout: readWholeNumber('FIRST_TOKEN_TIMEOUT', read('FIRST_TOKEN_TIMEOUT') ?? '60', 3600, 1) * 1000,
    modelConcurrency: readOptionalNumber('MODEL_CONCURRENCY', read('MODEL_CONCURRENCY'), 100_000, 1),
    maxAnswers: readWholeNumber('MAX_ANSWERS', read('MAX_ANSWERS') ?? '256', 100_000, 1),
    fallback: matchPattern('FALLBACK', read('FALLBACK') ?? '1', /^[01]$/, '0 or 1') === '1',
    modelChecksCitations:
      matchPattern('CHECK_CITATIONS', read('CHECK_CITATIONS') ?? 'words', /^(?:words|model)$/, 'words or model') ===
      'model',
    ...readModels(read),
    mail: readMail(read('SMTP_URL'), read('MAIL_FROM'), read('OWNER_EMAIL')),
    upstream: readUpstream(readAddress('UPSTREAM_URL', read('UPSTREAM_URL')), read('UPSTREAM_API_KEY')),
    catalogue: {
      familyPrefix: matchPattern(
        'MODEL_PREFIX',
        read('MODEL_PREFIX') ?? 'gpt-',
        MODEL_NAME,
        'the beginning of model names',
      ),
      models: readCatalogue(read('MODELS_FILE'), read('MODEL_CREDITS')),
      namesTellContext: read('MODELS_FILE') !== undefined,
    },
    monthlyCredits: readOptionalNumber('MONTHLY_CREDITS', read('MONTHLY_CREDITS'), 1_000_000_000, 1),
    auditDays: readWholeNumber('AUDIT_DAYS', read('AUDIT_DAYS') ?? '400', 36_500, 1),
    logLevel: matchPattern(
      'LOG_LEVEL',
      read('LOG_LEVEL') ?? (onTerminal ? 'warn' : 'info'),
      LEVELS,
      'trace, debug, info, warn, error, fatal or silent',
    ),
  };
}

/** The address to connect to: loopback for one that means all interfaces. */
export const connectableHost = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
const bracketIpv6 = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Where the server listens, without a slash at the end. */
export const listeningAt = ({ host, port }: Config): string => `http://${bracketIpv6(connectableHost(host))}:${port}`;

/** The public address, without a slash at the end. */
export const baseOf = (config: Config): string => config.publicUrl ?? listeningAt(config);

const LEVELS = /^(?:trace|debug|info|warn|error|fatal|silent)$/;

function invalidVariable(name: string, wanted: string): Error {
  return new Error(`${name} must be ${wanted}`);
}

function matchPattern(name: string, value: string, pattern: RegExp, wanted: string): string {
  if (!pattern.test(value)) throw invalidVariable(name, wanted);
  return value;
}

function readWholeNumber(name: string, value: string, max: number, min = 0): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw invalidVariable(name, `a whole number from ${min} to ${max}`);
  return number;
}

const readOptionalNumber = (name: string, value: string | undefined, max: number, min: number): number | undefined =>
  value === undefined ? undefined : readWholeNumber(name, value, max, min);

/** Refuses white space at the ends, which HTTP headers lose. */
function readApiKey(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const length = [...value].length;
  if (length < 16 || length > 256 || /\p{C}/u.test(value) || value !== value.trim()) {
    throw invalidVariable('API_KEY', '16 to 256 printable characters, with no white space at either end');
  }
  return value;
}

function readAddress(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlainUrl = url && ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlainUrl) throw invalidVariable(name, 'an http or https address, such as https://chat.example.com');
  return url.href.replace(/\/+$/, '');
}

/** Never says what it is given: it has a password. */
function readDatabaseUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(value) ?? [];
  const isWhole = url && ['postgres:', 'postgresql:'].includes(url.protocol) && url.hostname && url.pathname.length > 1;
  // Behind a # that belongs to a password all else is no address any more.
  if (
    !isWhole ||
    url.hash ||
    authority.split('@').length > 2 ||
    decoded(`${url.username}${url.password}`) === undefined
  )
    throw invalidVariable(
      'DATABASE_URL',
      'the address of a PostgreSQL database, postgres://user:password@host:5432/name, with a percent-encoded password (@ as %40, # as %23, / as %2F, % as %25)',
    );
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new Error(`sslmode of DATABASE_URL must be one of ${SSL_MODES.join(', ')}`);
  return value;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readCatalogue(file: string | undefined, credits: string | undefined): Record<string, ModelEntry> | undefined {
  if (file === undefined) return credits === undefined ? undefined : readCredits(credits);
  if (credits !== undefined) throw invalidVariable('MODEL_CREDITS', 'unset where MODELS_FILE is set');
  try {
    return parseModels(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`MODELS_FILE (${file}) ${code ? `must be a file that can be read: ${code}` : message}`, {
      cause: error,
    });
  }
}

function readCredits(value: string): Record<string, ModelEntry> {
  const entries = value.split(',').map((entry) => entry.trim().split('='));
  const isEntry = ([name = '', price = '', ...more]: string[]): boolean =>
    MODEL_NAME.test(name) && /^\d{1,6}$/.test(price) && more.length === 0;
  if (!entries.every(isEntry)) throw invalidVariable('MODEL_CREDITS', 'model=credits entries, separated by commas');
  return Object.fromEntries(entries.map(([name, price]) => [name, { credits: Number(price) }]));
}

/**
 * The chat server and the embedding server. They may be two, since vLLM and llama.cpp serve one model a process.
 */
function readModels(read: Read): Pick<Config, 'llm' | 'embeddings'> {
  const baseUrl = readAddress('LLM_BASE_URL', read('LLM_BASE_URL'));
  const embedBaseUrl = readAddress('EMBED_BASE_URL', read('EMBED_BASE_URL'));
  const [model, embedModel] = [read('LLM_MODEL'), read('EMBED_MODEL')];
  const [key, embedKey] = [read('LLM_API_KEY'), read('EMBED_API_KEY')];
  if (embedBaseUrl !== undefined && !embedModel) throw invalidVariable('EMBED_MODEL', 'set where EMBED_BASE_URL is');
  if (embedKey !== undefined && embedBaseUrl === undefined)
    throw invalidVariable('EMBED_BASE_URL', 'set where EMBED_API_KEY is');
  if (model && baseUrl === undefined) {
    throw invalidVariable('LLM_BASE_URL', 'set where LLM_MODEL is, such as http://127.0.0.1:11434/v1');
  }
  const embedUrl = embedBaseUrl ?? baseUrl;
  const isLocal = embedModel === 'local' && embedBaseUrl === undefined;
  if (embedModel && embedUrl === undefined && !isLocal)
    throw invalidVariable('EMBED_BASE_URL', 'set where EMBED_MODEL is, or LLM_BASE_URL; or EMBED_MODEL=local');
  if (baseUrl !== undefined && !model && (!embedModel || isLocal || embedBaseUrl !== undefined)) {
    throw invalidVariable('LLM_MODEL', 'set where LLM_BASE_URL is: the name of a model that server knows');
  }
  return {
    llm: baseUrl !== undefined && model ? { baseUrl, model, apiKey: key } : undefined,
    // LLM_API_KEY is not sent to another server.
    embeddings: isLocal
      ? 'local'
      : embedUrl !== undefined && embedModel
        ? { baseUrl: embedUrl, model: embedModel, apiKey: embedBaseUrl === undefined ? key : embedKey }
        : undefined,
  };
}

function readUpstream(url: string | undefined, key: string | undefined): Config['upstream'] {
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined) throw invalidVariable('UPSTREAM_URL', 'set where UPSTREAM_API_KEY is');
  if (key === undefined) throw invalidVariable('UPSTREAM_API_KEY', 'set where UPSTREAM_URL is: a key of that server');
  return { url, apiKey: key };
}
