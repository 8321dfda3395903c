import { expect, it } from 'vitest';
import { misspeltVariables, readConfig, VARIABLES } from '../../server/config.ts';

it('has a default for every variable', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    dataDir: './data',
    apiKey: undefined,
    trustProxyHops: 0,
    demo: true,
    answerTimeout: 120_000,
    maxAnswers: 256,
    fetchAllow: [],
    llm: undefined,
    upstream: undefined,
  });
});

it.each([
  ['HOST', 'two words'],
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['API_KEY', 'fifteen-chars-x'],
  ['API_KEY', 'x'.repeat(257)],
  ['API_KEY', 'a key with a\ttab in it'],
  ['API_KEY', ' a key with a space first'],
  ['PUBLIC_URL', 'chat.example.com'],
  ['PUBLIC_URL', 'ftp://chat.example.com'],
  ['PUBLIC_URL', 'https://chat.example.com/?q=1'],
  ['TRUST_PROXY_HOPS', 'yes'],
  ['DEMO', 'no'],
  ['ANSWER_TIMEOUT', '0'],
  ['ANSWER_TIMEOUT', 'two minutes'],
  ['FIRST_TOKEN_TIMEOUT', '0'],
  ['MODEL_CONCURRENCY', '0'],
  ['CHECK_CITATIONS', '1'],
  ['MAX_ANSWERS', '0'],
  ['FETCH_ALLOW', 'intranet'],
  ['FETCH_ALLOW', 'intranet:80,http://other:80'],
  ['LLM_BASE_URL', 'localhost:11434'],
  ['EMBED_BASE_URL', 'localhost:11434'],
  ['UPSTREAM_URL', 'nowhere'],
  ['SMTP_URL', 'https://mail.example.com'],
  ['SMTP_URL', 'smtp://mail.example.com/inbox'],
  ['SMTP_URL', 'smtp://user:p%zz@mail.example.com'],
  ['MODEL_PREFIX', 'two words'],
  ['MONTHLY_CREDITS', '0'],
  ['MONTHLY_CREDITS', '1.5'],
  ['MONTHLY_CREDITS', '1000000001'],
  ['MODEL_CREDITS', 'llm-4o-1k'],
  ['MODEL_CREDITS', 'llm-4o-1k=many'],
  ['MODEL_CREDITS', 'llm-4o-1k=3,,'],
  ['LOG_LEVEL', 'loud'],
])('refuses %s=%j and names it', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
});

it.each([
  ['LLM_MODEL', { LLM_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ['LLM_BASE_URL', { LLM_MODEL: 'small' }],
  ['LLM_MODEL', { LLM_BASE_URL: 'http://127.0.0.1:1/v1', EMBED_BASE_URL: 'http://127.0.0.1:2/v1', EMBED_MODEL: 'e' }],
  ['EMBED_BASE_URL', { EMBED_MODEL: 'e' }],
  ['EMBED_BASE_URL', { EMBED_MODEL: 'e', EMBED_API_KEY: 'key', LLM_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ['EMBED_MODEL', { EMBED_BASE_URL: 'http://127.0.0.1:2/v1' }],
  ['UPSTREAM_API_KEY', { UPSTREAM_URL: 'http://127.0.0.1:1' }],
  ['UPSTREAM_URL', { UPSTREAM_API_KEY: 'key' }],
  ['SMTP_URL', { MAIL_FROM: 'docent@example.com' }],
])('reports %s as missing where only its counterpart is set', (name, env) => {
  expect(() => readConfig(env)).toThrow(new RegExp(`^${name} must be set`));
});

it.each([
  ['MAIL_FROM', undefined, undefined],
  ['MAIL_FROM', 'Docent', undefined],
  ['MAIL_FROM', 'Docent <docent@example.com>\r\nBcc: <all@example.com>', undefined],
  ['OWNER_EMAIL', 'docent@example.com', 'nobody'],
])('refuses %s of a mail server where it is no address', (name, from, owner) => {
  const env = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: from, OWNER_EMAIL: owner };
  expect(() => readConfig(env)).toThrow(new RegExp(`^${name} must be `));
});

it('reads embeddings of the chat model’s server, of another or alone, each with the key of its server', () => {
  const one = { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_API_KEY: 'first' };
  const embeddings = { baseUrl: 'http://127.0.0.1:1/v1', model: 'e', apiKey: 'first' };
  expect(readConfig({ ...one, EMBED_MODEL: 'e' })).toMatchObject({ llm: undefined, embeddings });
  const both = readConfig({ ...one, LLM_MODEL: 'm', EMBED_MODEL: 'e' });
  expect(both).toMatchObject({ llm: { model: 'm', apiKey: 'first' }, embeddings });
  const other = { EMBED_MODEL: 'e', EMBED_BASE_URL: 'http://127.0.0.1:2/v1' };
  const apart = readConfig({ ...one, ...other, LLM_MODEL: 'm' }).embeddings;
  expect(apart).toEqual({ baseUrl: 'http://127.0.0.1:2/v1', model: 'e', apiKey: undefined });
  expect(readConfig({ ...other, EMBED_API_KEY: 'second' }).embeddings).toMatchObject({ apiKey: 'second' });
  expect(readConfig({ ...one, LLM_MODEL: 'm' }).embeddings).toBeUndefined();
});

it('reads a local model of embeddings, beside a chat server or without one; a server may have one of that name', () => {
  expect(readConfig({ EMBED_MODEL: 'local' })).toMatchObject({ llm: undefined, embeddings: 'local' });
  const server = { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'm' };
  expect(readConfig({ ...server, EMBED_MODEL: 'local' })).toMatchObject({ llm: { model: 'm' }, embeddings: 'local' });
  const other = readConfig({ EMBED_MODEL: 'local', EMBED_BASE_URL: 'http://127.0.0.1:2/v1' });
  expect(other.embeddings).toMatchObject({ baseUrl: 'http://127.0.0.1:2/v1', model: 'local' });
});

it.each(['sixteen chars ok', 'schlüssel-für-alle', '🔑'.repeat(16), 'x'.repeat(256)])('takes %j as API_KEY', (key) => {
  expect(readConfig({ API_KEY: key }).apiKey).toBe(key);
});

it.each([
  ['LLM_BASEURL', 'LLM_BASE_URL'],
  ['LLM_MODLE', 'LLM_MODEL'],
  ['DATADIR', 'DATA_DIR'],
  ['FETCH_ALLOWED', 'FETCH_ALLOW'],
  ['TRUST_PROXY_HOP', 'TRUST_PROXY_HOPS'],
  ['llm_api_key', 'LLM_API_KEY'],
  ['PORTS', 'PORT'],
])('suggests for %s the name %s, without its value', (name, meant) => {
  expect(misspeltVariables({ [name]: 'a-secret' })).toEqual([`${name} is not known; did you mean ${meant}?`]);
});

it('reports no variable that is known or far from a known name', () => {
  const others = 'HOME PATH PWD TERM USER LOGNAME HOSTNAME LANG SHELL EDITOR OPENAI_API_KEY HTTP_PROXY NODE_ENV TMPDIR';
  const names = [...VARIABLES, ...others.split(' '), 'DOCENT_PORT', 'npm_config_cache', '_', 'LLM2_MODEL'];
  expect(misspeltVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

it('logs only warnings on a terminal by default', () => {
  expect(readConfig({}).logLevel).toBe('info');
  expect(readConfig({ LOG_LEVEL: '' }, true).logLevel).toBe('warn');
  expect(readConfig({ LOG_LEVEL: 'debug' }, true).logLevel).toBe('debug');
});

it('never includes a key in an error message', () => {
  const complaint = (): string => {
    try {
      readConfig({ API_KEY: 'a-secret\n' });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(complaint()).not.toContain('a-secret');
});

it('accepts a trailing slash of PUBLIC_URL and spaces after the commas of lists', () => {
  const config = readConfig({
    PUBLIC_URL: 'https://chat.example.com/',
    FETCH_ALLOW: 'intranet:80, [::1]:8081',
    MODEL_CREDITS: 'llm-small=1, llm-large=20',
    PORT: '0',
  });
  expect(config).toMatchObject({
    publicUrl: 'https://chat.example.com',
    fetchAllow: ['intranet:80', '[::1]:8081'],
    catalogue: { familyPrefix: 'gpt-', models: { 'llm-small': { credits: 1 }, 'llm-large': { credits: 20 } } },
    port: 0,
  });
});
