import {
  FUNCTION,
  newAgent,
  newConversation,
  newFunction,
  newInvitation,
  newLink,
  newMember,
  newMessage,
  newPage,
  newReader,
  newSession,
  newSite,
  newSource,
  newTag,
  QA,
  type ApiFixture,
} from '../api-fixture.ts';

/** How each operation is called: `METHOD path` → its row. The tables of tests and the document's examples come from here. */
export interface Row {
  /** Makes what the call is about, in a chatbot of its own; by default it is that chatbot. */
  on?: (w: ApiFixture, chatbot: string) => Promise<string>;
  /** The body of a call that succeeds. */
  send?: (uuid: string, w: ApiFixture) => unknown;
  /** What follows the path, `?` included. */
  search?: string;
  /** What a call is answered for want of a model; 200 by default. */
  withoutModel?: number;
  /** What is refused with 422: the field that is named, and the body. */
  invalid?: [field: string | undefined, body: unknown][];
  /** The same for what follows the path. */
  invalidSearch?: [field: string, search: string][];
  /** Where the body names records: what is said of one that is unknown, or another's. */
  strange?: { status: number; body: (uuid: string) => unknown };
}

const long = (length: number): string => 'x'.repeat(length);
const ROLES_NOT = ['admin', 'Owner', '', 7, null, ['owner']];
const NAMES = ['', long(201), 7, null, [], {}, 'a\0b', '\ud800'];
const names = (rest: object = {}): [string, unknown][] => NAMES.map((name) => ['name', { ...rest, name }]);
const each = (field: string, values: unknown[], rest: object = {}): [string, unknown][] =>
  values.map((value) => [field, { ...rest, [field]: value }]);

const limits = [
  [0, 240],
  [101, 240],
  [20, 0],
  [20, 361],
  [20],
  [20, 240, 1],
  [1.5, 240],
  ['20', '240'],
  '20,240',
  null,
  {},
];
const chatbotSettings = (rest: object = {}): [string, unknown][] => [
  ...each('rate_limit', limits, rest),
  ...each('rate_limit_message', [7, null, long(1001), 'a\0'], rest),
  ...each('show_citations', ['true', 1, null], rest),
  ...each('visibility', ['secret', '', null, ['public']], rest),
];

const agentSettings = (rest: object = {}): [string, unknown][] => [
  ...each('prompt', [7, null, long(10_001), '\ud800'], rest),
  ...each('description', [7, null, []], rest),
  ...each('model', ['', 7, null, long(201)], rest),
  ...each('temperature', [-0.1, 1.1, '0', null], rest),
  ...each('bias', [-10.1, 1.1, '0', null], rest),
  ...each('stickness', [-0.1, 1.1, null], rest),
  ...each('use_all_sources', ['yes', 2, null], rest),
];

const URLS = [
  '',
  'shop.test',
  'ftp://shop.test/',
  'javascript:alert(1)',
  'http://a:b@shop.test/',
  7,
  null,
  `https://s.test/${long(2050)}`,
];
const LINKS = [
  7,
  long(2049),
  'shop.test',
  'javascript:alert(1)',
  'https://',
  'http://]',
  'http://a b.test/',
  'https://u:p@shop.test/',
  `https://s.test/${long(2050)}`,
];
const PATTERNS = [
  '',
  'docs/',
  long(301),
  `/${long(300)}`,
  7,
  null,
  {},
  [7],
  [''],
  ['docs'],
  Array(51).fill('/a'),
  '/a\0',
];
const COLORS = ['red', '#fff', '#12345g', '#1234567', '1D4ED8', 7, null];
const TITLES = ['', 7, null, long(1001), 'a\0'];
const UUIDS: [string, unknown][] = [['uuids', {}], ...each('uuids', [null, 'a', {}, [7], [null]])];
const QUERIES: [string, unknown][] = [
  ['query', {}],
  ...each('query', ['', 7, null, long(8001), 'a\0', '\udc00', ['a']]),
];
const QUESTIONS: [string, unknown][] = [['question', {}], ...each('question', ['', 7, null, long(8001), 'a\0', ['a']])];
const notSources: [string, unknown][] = each('data_source_uuids', [null, 'x', [7], ['nonsense'], ['0'.repeat(32)]]);

const NO_ADDRESSES = [
  7,
  null,
  'shop.test',
  'data:image/png;base64,AA',
  'javascript:alert(1)',
  'https://',
  '//s.test/a',
];
const ADDRESSES = [...NO_ADDRESSES, 'https://u:p@s.test/', 'https://a;b/', `https://s.test/${long(2050)}`];
const NO_WORDS: unknown[] = [
  null,
  [],
  'Hi',
  { 'a b': 'x' },
  { '': 'x' },
  { constructor: 'x' },
  { send: 7 },
  { send: long(501) },
];
const strings = (most: number): unknown[] => [7, null, [], long(most + 1), 'a\0b', 'a\u0007b', '\ud800'];
const numbers = (most: number): unknown[] => [-1, most + 1, 1.5, '1', null];
const widgetSettings: [string, unknown][] = [
  ...each('color', [...COLORS, '#ffff', 'inherit']),
  ...each('scheme', ['', 'blue', null, ['dark']]),
  ...each('density', ['', 'dense', null]),
  ...each('position', ['', 'left ', 'top', null]),
  ...each('radius', numbers(32)),
  ...each('offset', numbers(200)),
  ...each('z_index', numbers(2_147_483_647)),
  ...each('teaser_after', numbers(3600)),
  ...each('triggers', [null, {}, ['x'], [{ seconds: -1 }], [{ scroll: 101 }], [{ exit: 1 }], [{ text: '' }]]),
  ...each('triggers', [[{ page: 'shop' }], [{ page: '/a b' }], [{ after: 5 }], Array.from({ length: 9 }, () => ({}))]),
  ...each('open', [1, 'true', null]),
  ...each('sound', [1, 'true', null]),
  ...each('label', [...strings(40), 'a\nb']),
  ...each('title', [...strings(80), 'a\nb']),
  ...each('greeting', [...strings(1000), 'a\rb']),
  ...each('teaser', [...strings(200), 'a\tb']),
  ...each('disclaimer', strings(300)),
  ...each('consent', strings(500)),
  ...each('icon', ['', 'star', 'http://s.test/a.png', ...ADDRESSES]),
  ...each('avatar', ['chat', 'http://s.test/a.png', ...ADDRESSES]),
  ...each('privacy_url', ['ftp://s.test/', ...ADDRESSES]),
  ...each('contact', ['ftp://s.test/', 'a b@s.test', 'a@s.test?bcc=b@s.test', 'a%0Ab@s.test', '@s.test', ...ADDRESSES]),
  ...each('suggestions', [null, 'a', {}, [''], [7], [long(201)], ['a\nb'], Array(7).fill('Why?')]),
  ...each('link_hosts', [null, 'a', ['*'], ['https://a.test'], ['a.test/b'], Array(51).fill('a.test')]),
  ...each('image_hosts', [null, 'a', [7], [''], Array(51).fill('a.test')]),
  ...each('image_hosts', [['*'], ['https://a.test'], ['a.test:8443'], ['a.test/b'], ['a.*.test'], ['a;b'], ['a b']]),
  ...each('allowed_origins', [null, 'https://a.test', [7], [''], Array(51).fill('https://a.test')]),
  ...each('allowed_origins', [['*'], ['a.test'], ['ftp://a.test'], ['https://a.test/b'], ['https://u@a.test']]),
  ...each('allowed_origins', [['https://*'], ['https://a.*.test'], ['https://a;b'], ['https://a.test?'], ['https://']]),
  ...each('language', ['xx', 'EN', 'en-GB', null]),
  ...each('words', [...NO_WORDS, Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`w${i}`, '']))]),
  ['words', '{"words":{"__proto__":"x"}}'],
  ['radius', { color: '#ffffff', radius: 99 }],
];

/** The chatbot itself, with something in it. */
const holding = (make: NonNullable<Row['on']>) => async (w: ApiFixture, chatbot: string) => {
  await make(w, chatbot);
  return chatbot;
};

/** Of a list of conversations: what narrows nothing. */
const MESSAGE_FILTERS: [string, string][] = [
  ['has', '?has=answers'],
  ['has', '?has=unknown&has=unsure'],
  ['state', '?state=none'],
  ['state', '?state=requested&state=requested'],
  ['search', `?search=${long(201)}`],
  ['search', '?search=a&search=b'],
  ['label', `?label=${long(201)}`],
  ['page', '?page=a&page=b'],
  ['agent', '?agent=general'],
  ['from', '?from=yesterday'],
  ['from', '?from=2026-02-31'],
  ['to', '?to=2026-1-1'],
  ['to', '?from=2026-02-02&to=2026-02-01'],
];

/** Of the audit log. */
const AUDIT_FILTERS: [string, string][] = [
  ['email', `?email=${long(255)}`],
  ['email', '?email=a&email=b'],
  ['from', '?from=2026-02-31'],
  ['to', '?from=2026-02-02&to=2026-02-01'],
];

/** Of a list: what is no part of it. */
const PAGES: [string, string][] = [
  ...['0', '1001', '-1', '1.5', 'ten', '', '1&limit=2', '9'.repeat(30)].map((limit): [string, string] => [
    'limit',
    `?limit=${limit}`,
  ]),
  ...['', 'nonsense', '0'.repeat(32), `${'0'.repeat(32)}&after=1`].map((after): [string, string] => [
    'after',
    `?after=${after}`,
  ]),
];

const invalidSource = (uuid: string) => [{ uuid, error: 'invalid data source' }];

export const rows: Record<string, Row> = {
  'POST /api/v1/chatbot/create': {
    send: () => ({ name: 'Help centre', show_citations: true, visibility: 'public' }),
    invalid: [['name', {}], [undefined, []], [undefined, 7], ...names(), ...chatbotSettings({ name: 'Help' })],
  },
  'GET /api/v1/chatbots': { invalidSearch: PAGES },
  'GET /api/v1/chatbot/:uuid': {},
  'POST /api/v1/chatbot/:uuid/update': {
    send: () => ({ name: 'Help desk', rate_limit: [10, 60] }),
    invalid: [
      [undefined, []],
      ...names({ visibility: 'public' }),
      ...chatbotSettings({ name: 'Other' }),
      ...each('keep_days', [-1, 1.5, 36_501, '30'], { name: 'Other' }),
    ],
  },
  'DELETE /api/v1/chatbot/:uuid/delete': {},

  'GET /api/v1/chatbot/:uuid/widget': {},
  'POST /api/v1/chatbot/:uuid/widget': {
    send: () => ({
      color: '#1D4ED8',
      greeting: 'Hello! What can I help you with?',
      suggestions: ['How long do I have to return something?'],
      allowed_origins: ['https://shop.example', 'https://*.shop.example'],
    }),
    invalid: [[undefined, []], [undefined, 7], ...widgetSettings],
  },
  'POST /api/v1/chatbot/:uuid/widget/look': {
    send: () => ({ url: 'https://shop.invalid/' }),
    invalid: [
      [undefined, []],
      ['url', {}],
      ['url', { url: 'shop' }],
      ['url', { url: 'file:///etc/passwd' }],
      ['url', { url: 'https://me:secret@shop.example' }],
    ],
  },
  'GET /api/v1/chatbot/:uuid/widget/seen-on': {},

  'GET /api/v1/chatbot/:uuid/analytics': {
    search: '?from=2026-01-01&to=2026-01-01',
    invalidSearch: [
      ['from', '?from=2026-02-30'],
      ['from', '?from=2026-01-02&to=2026-01-01'],
      ['from', '?from=2025-01-01&to=2026-01-02'],
      ['to', '?to='],
      ['to', '?to=2026-01-01&to=2026-01-02'],
    ],
  },
  'GET /api/v1/chatbot/:uuid/gaps': { on: holding(newConversation), invalidSearch: [['hidden', '?hidden=maybe']] },
  'POST /api/v1/chatbot/:uuid/gap/hide': {
    send: () => ({ question: 'Do you sell llamas?' }),
    invalid: QUESTIONS,
  },
  'POST /api/v1/chatbot/:uuid/gap/show': {
    send: () => ({ question: 'Do you sell llamas?' }),
    invalid: QUESTIONS,
  },
  'POST /api/v1/chatbot/:uuid/gap/draft': {
    send: () => ({ questions: ['Do you sell llamas?', 'any llamas?'] }),
    withoutModel: 409,
    invalid: each('questions', [undefined, null, 'a', [], [''], ['a', 7], Array(6).fill('Llamas?')]),
  },
  'GET /api/v1/chatbot/:uuid/data-sources/cited': { on: holding(newConversation) },

  'GET /api/v1/agent/models': {},
  'GET /api/v1/agent/model-costs': {},
  'GET /api/v1/chatbot/:uuid/agents': { invalidSearch: PAGES },
  'POST /api/v1/chatbot/:uuid/agents/replay': {
    send: () => ({ agents: [] }),
    invalid: [
      [undefined, []],
      ['agents', {}],
      ['agents', { agents: 7 }],
    ],
  },
  'POST /api/v1/chatbot/:uuid/agent/create': {
    send: () => ({
      name: 'Returns desk',
      type: 'user-facing',
      description: 'Questions about returns and refunds.',
      prompt: 'Answer in two sentences at most.',
      model: 'llm-4o-4k',
      temperature: 0.2,
    }),
    invalid: [
      ['name', { type: 'user-facing' }],
      ['type', { name: 'Desk' }],
      ...each('type', ['robot', '', null, ['user-facing']], { name: 'Desk' }),
      ...names({ type: 'user-facing' }),
      ...agentSettings({ name: 'Desk', type: 'user-facing' }),
      ...each('default_message', [7, null, long(10_001)], { name: 'Desk', type: 'pre-canned' }),
      ...each('tags', [7, null, [7], [{ name: 'n' }]], { name: 'Desk', type: 'background' }),
    ],
  },
  'GET /api/v1/agent/:uuid': { on: newAgent },
  'POST /api/v1/agent/:uuid/update': {
    on: newAgent,
    send: () => ({
      enabled: true,
      prompt: 'Be brief.',
      variables: [{ name: 'plan', description: 'the visitor’s plan', example: 'basic' }],
    }),
    invalid: [
      [undefined, []],
      ...names({ prompt: 'Other' }),
      ...agentSettings({ name: 'Other' }),
      ...each('enabled', ['true', 2, null], { name: 'Other' }),
      ...each('variables', [7, null, [7], [{}], [{ name: '' }]], { name: 'Other' }),
      ...each('routing', [7, []], { name: 'Other' }),
      ['routing.examples', { name: 'Other', routing: { examples: [''] } }],
      ['routing.rules[0]', { name: 'Other', routing: { rules: [{}] } }],
      ...notSources,
    ],
  },
  'DELETE /api/v1/agent/:uuid/delete': { on: newAgent },

  'GET /api/v1/agent/:uuid/routing': { on: newAgent },
  'POST /api/v1/agent/:uuid/routing': {
    on: newAgent,
    send: () => ({
      examples: ['Where is my parcel?'],
      rules: [{ all: [{ contains: ['refund'] }, { queries: { min: 2 } }] }],
    }),
    invalid: [
      [undefined, []],
      ...each('examples', [7, [7], [''], [long(501)], Array(201).fill('a')]),
      ...each('rules', [7, Array.from({ length: 21 }, () => ({ contains: ['a'] }))]),
      ['rules[0]', { rules: [{}] }],
      ['rules[0].contains', { rules: [{ contains: [] }] }],
      ['rules[0].all[1].queries.min', { rules: [{ all: [{ contains: ['a'] }, { queries: { min: 3, max: 2 } }] }] }],
    ],
  },

  'POST /api/v1/agent/:uuid/function/create': {
    on: newAgent,
    send: () => FUNCTION,
    invalid: [
      ...names({ external_url: FUNCTION.external_url }),
      ...each('description', [7, null, long(1024)], FUNCTION),
      ...each('external_url', URLS, FUNCTION),
      ...each('method', ['HEAD', 'post', null], FUNCTION),
      ...each('headers', [7, null, [], { a: 1 }, { 'a b': 'c' }, { a: 'b\r\nc' }], FUNCTION),
      ...each('parameters', [7, null, [], { type: 'array' }], FUNCTION),
      ...each('enabled', ['true', 2, null], FUNCTION),
      ...each('meta', [7, null, [], { prototype: 1 }], FUNCTION),
      ...each('allow_gpt_trainer_properties', ['\ud800', null], FUNCTION),
    ],
  },
  'POST /api/v1/function/:uuid/update': {
    on: newFunction,
    send: () => ({ enabled: 0, description: 'Says where a parcel is.' }),
    invalid: [
      ...names({ enabled: 0 }),
      ...each('external_url', URLS, { enabled: 0 }),
      ...each('method', ['HEAD', null], { enabled: 0 }),
      ...each('headers', [7, null, [], { a: 1 }], { enabled: 0 }),
      ...each('parameters', [7, null, []], { enabled: 0 }),
    ],
  },
  'POST /api/v1/function/:uuid/delete': { on: newFunction },
  'GET /api/v1/server/models': {},
  'POST /api/v1/server/models/test': {},
  'POST /api/v1/function/:uuid/try': {
    on: newReader,
    send: () => ({ arguments: { sku: 'lamp' } }),
    invalid: [
      [undefined, []],
      ['arguments', {}],
      ...each('arguments', [7, null, [], {}, { sku: 7 }, { sku: 'a', size: 7 }, { prototype: 1 }]),
      ...each('variables', [7, null, [], { a: [] }], { arguments: { sku: 'a' } }),
    ],
  },

  'POST /api/v1/chatbot/:uuid/data-source/url': {
    send: (_, { shop }) => ({ url: `${shop}/returns` }),
    invalid: [
      ['url', {}],
      ...each('url', URLS),
      ...each('reference_source_link', LINKS, { url: 'https://shop.test/' }),
    ],
  },
  'POST /api/v1/chatbot/:uuid/data-source/qa': {
    send: () => QA,
    invalid: [
      ...each('question', TITLES, QA),
      ...each('answer', ['', 7, null, long(10_001)], QA),
      ...each('reference_source_link', LINKS, QA),
    ],
  },
  'POST /api/v1/chatbot/:uuid/data-source/upload': {
    send: () => form('opening hours.txt', 'The workshop is open from nine to five on weekdays.\n'),
    invalid: [['file', form('', '')]],
  },
  'GET /api/v1/chatbot/:uuid/data-sources': {
    on: holding(newSource),
    invalidSearch: [
      ...PAGES,
      ['state', '?state=done'],
      ['state', '?state=ready&state=failed'],
      ['search', `?search=${long(201)}`],
      ['search', '?search=a&search=b'],
      ['tag', '?tag='],
      ['tag', `?tag=${'0'.repeat(32)}`],
      ['tag', '?tag=a&tag=b'],
    ],
  },
  'GET /api/v1/data-source/:uuid': { on: newSource },
  'GET /api/v1/data-source/:uuid/text': { on: newSource },
  'POST /api/v1/data-source/:uuid/update': {
    on: newSource,
    send: () => ({ title: 'Returns' }),
    invalid: [
      ...each('title', TITLES),
      ...each('question', ['', 7, long(1001), 'a\0']),
      ...each('answer', ['', 7, long(10_001), '\ud800'], { question: 'Really?' }),
      ...each('reference_source_link', LINKS, { answer: 'Yes.' }),
    ],
  },
  'POST /api/v1/data-source/:uuid/delete': { on: newSource },
  'POST /api/v1/data-sources/delete': {
    on: newSource,
    send: (uuid) => ({ uuids: [uuid] }),
    invalid: UUIDS,
    strange: { status: 422, body: invalidSource },
  },
  'POST /api/v1/data-sources/url/re-scrape': {
    on: newLink,
    send: (uuid) => ({ uuids: [uuid] }),
    invalid: UUIDS,
    strange: { status: 200, body: invalidSource },
  },
  'POST /api/data-sources/restart': {
    on: (w, chatbot) => newLink(w, chatbot, '/gone'),
    send: (uuid) => ({ uuids: [uuid] }),
    invalid: UUIDS,
    strange: { status: 200, body: invalidSource },
  },

  'GET /api/v1/chatbot/:uuid/data-source/schedule': {},
  'POST /api/v1/chatbot/:uuid/data-source/schedule': {
    send: () => ({ hours: 24 }),
    invalid: [['hours', {}], ...each('hours', [-1, 8761, 1.5, '24', null, [24]])],
  },

  'POST /api/v1/chatbot/:uuid/data-source/site': {
    send: (_, { shop }) => ({ url: `${shop}/guide/`, max_pages: 50, exclude: ['/guide/print/', '*.txt'] }),
    invalid: [
      ['url', {}],
      ...each('url', URLS),
      ...each('max_pages', [0, 2001, 1.5, '200', null], { url: 'https://shop.test/' }),
      ...['include', 'exclude'].flatMap((field) => each(field, PATTERNS, { url: 'https://shop.test/' })),
    ],
  },
  'GET /api/v1/chatbot/:uuid/data-source/sites': { on: holding(newSite), invalidSearch: PAGES },
  'GET /api/v1/chatbot/:chatbot/data-source/site/:uuid': { on: newSite },
  'POST /api/v1/chatbot/:chatbot/data-source/site/:uuid/stop': { on: newSite },

  'POST /api/v1/chatbot/:chatbot/data-source/site/:uuid/delete': { on: newSite },
  'POST /api/v1/data-source/:uuid/exclude': { on: newPage },
  'POST /api/v1/chatbot/:chatbot/data-source/site/:uuid/include': {
    on: newSite,
    send: (_, { shop }) => ({ page: `${shop}/guide/print/` }),
    invalid: [['page', {}], ...each('page', URLS)],
  },

  'POST /api/v1/chatbot/:uuid/source-tag/create': {
    send: () => ({ name: 'Policies', color: '#1D4ED8' }),
    invalid: [
      ['color', { name: 'Policies' }],
      ['name', { color: '#1D4ED8' }],
      ...names({ color: '#1D4ED8' }),
      ...each('color', COLORS, { name: 'Policies' }),
      ...notSources.map(([field, body]): [string, unknown] => [
        field,
        { name: 'P', color: '#1D4ED8', ...(body as object) },
      ]),
    ],
  },
  'GET /api/v1/chatbot/:uuid/source-tags': { on: holding(newTag), invalidSearch: PAGES },
  'POST /api/v1/source-tag/:uuid/update': {
    on: newTag,
    send: () => ({ name: 'Rules' }),
    invalid: [
      ...names({ color: '#000000' }),
      ...each('color', COLORS, { name: 'Rules' }),
      ...notSources,
      ['add_data_source_uuids', { add_data_source_uuids: ['0'.repeat(32)] }],
      ...each('remove_data_source_uuids', ['x', 7, null, [7]]),
    ],
  },
  'DELETE /api/v1/source-tag/:uuid/delete': { on: newTag },

  'POST /api/v1/chatbot/:uuid/session/create': {
    send: () => ({ initial_variables: { plan: 'basic' } }),
    invalid: each('initial_variables', [7, null, [], { a: {} }, { a: null }]),
  },
  'GET /api/v1/chatbot/:uuid/sessions': {
    on: holding(newSession),
    search: '?start_timestamp=2026-01-01T00:00:00Z',
    invalidSearch: [
      ['start_timestamp', '?start_timestamp=yesterday'],
      ['end_timestamp', '?end_timestamp=2026-02-30T00:00:00Z'],
      ['end_timestamp', '?end_timestamp=1&end_timestamp=2'],
      ...PAGES,
    ],
  },
  'GET /api/v1/chatbot/:uuid/conversations': {
    on: holding(newConversation),
    invalidSearch: [...PAGES, ...MESSAGE_FILTERS],
  },
  'GET /api/v1/chatbot/:uuid/export': {},
  'GET /api/v1/chatbot/:uuid/conversations/export': {
    on: holding(newConversation),
    invalidSearch: [['format', '?format=xml'], ['format', '?format=csv&format=csv'], ...MESSAGE_FILTERS],
  },
  'GET /api/v1/session/:uuid': { on: newSession },
  'POST /api/v1/session/:uuid/delete': { on: newConversation },

  'POST /api/v1/session/:uuid/message/stream': {
    on: newConversation,
    send: () => ({ query: QA.question }),
    invalid: QUERIES,
  },
  'POST /api/v1/session/:uuid/message/non-stream': {
    on: newConversation,
    send: () => ({ query: QA.question }),
    invalid: QUERIES,
  },
  'POST /api/v1/session/:uuid/message/trace': {
    on: newConversation,
    send: () => ({ query: QA.question }),
    invalid: QUERIES,
  },
  'GET /api/v1/session/:uuid/messages': { on: newConversation, invalidSearch: PAGES },
  'GET /api/v1/session/:uuid/messages/plain-text': { on: newConversation },
  'GET /api/v1/message/:uuid': { on: newMessage },
  'POST /api/v1/message/:uuid/delete': { on: newMessage },
  'POST /api/v1/messages/delete': {
    on: newMessage,
    send: (uuid) => ({ uuids: [uuid] }),
    invalid: UUIDS,
    strange: { status: 422, body: (uuid) => [{ uuid, error: 'invalid message' }] },
  },

  'GET /api/v1/chatbot/:uuid/audit': { on: holding(newAgent), invalidSearch: [...PAGES, ...AUDIT_FILTERS] },
  'GET /api/v1/user/audit': { search: '?from=2026-01-01&to=2026-01-01', invalidSearch: [...PAGES, ...AUDIT_FILTERS] },
  'GET /api/v1/chatbot/:uuid/members': {},
  'GET /api/v1/chatbot/:uuid/membership': {},
  'POST /api/v1/chatbot/:uuid/membership/update': {
    send: () => ({ weekly_mail: false }),
    invalid: [['weekly_mail', {}], ...each('weekly_mail', ['true', 1, null, []])],
  },
  'GET /api/v1/memberships': {},
  'GET /api/v1/chatbot/:uuid/retention': {},
  'POST /api/v1/chatbot/:uuid/retention': {
    send: () => ({ keep_days: 90 }),
    invalid: [['keep_days', {}], ...each('keep_days', [-1, 36_501, 1.5, '90', null, [90]])],
  },
  'POST /api/v1/chatbot/:chatbot/member/:uuid/update': {
    on: newMember,
    send: () => ({ role: 'operator' }),
    invalid: [['role', {}], ...each('role', ROLES_NOT)],
  },
  'DELETE /api/v1/chatbot/:chatbot/member/:uuid/delete': { on: newMember },
  'POST /api/v1/chatbot/:uuid/leave': { on: holding((w, chatbot) => newMember(w, chatbot, 'owner')) },
  'POST /api/v1/chatbot/:uuid/invitation/create': {
    send: () => ({ email: 'Ann@shop.example', role: 'editor' }),
    invalid: [
      ['role', { email: 'ann@shop.example' }],
      ['email', { role: 'editor' }],
      ...each('role', ROLES_NOT, { email: 'ann@shop.example' }),
      ...each('email', ['', 'ann', 7, null, '@@@', `${long(251)}@b.c`], { role: 'viewer' }),
    ],
  },
  'GET /api/v1/chatbot/:uuid/invitations': { on: holding(newInvitation) },
  'DELETE /api/v1/chatbot/:chatbot/invitation/:uuid/delete': { on: newInvitation },

  'GET /api/v1/user': {},
  'POST /api/v1/mail/test': {},
  'GET /api/v1/usage': {
    // A day without answers: the sums of the others grow with every row that asks.
    search: '?from=2026-01-01&to=2026-01-01&by=chatbot,day',
    invalidSearch: [
      ['from', '?from=2026-02-30'],
      ['from', '?from=2026-01-02&to=2026-01-01'],
      ['from', '?from=2025-01-01&to=2026-01-02'],
      ['from', '?from=2026-01-01T00:00:00Z'],
      ['to', '?to='],
      ['to', '?to=2026-01-01&to=2026-01-02'],
      ['by', '?by='],
      ['by', '?by=day,day'],
      ['by', '?by=session'],
    ],
  },
  'GET /api/v1/openapi.json': {},
};

/** An upload; without a name it has no file in it. */
export function form(name: string, text: string): FormData {
  const parts = new FormData();
  if (name !== '') parts.append('file', new Blob([text], { type: 'text/plain' }), name);
  return parts;
}
