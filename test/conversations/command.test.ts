import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAgent } from '../../server/agents/agents.ts';
import { runCommand } from '../../server/cli/run.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import { API_KEY, start, type Running } from '../running.ts';

/** `docent test` as an operator types it, with a server that has the folder, and over HTTP. */

let running: Running;
let chatbot: string;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-conversations-'));
  running = await start();
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Lamps', show_citations: true })).body.uuid;
  await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, {
    question: 'How long may I return a lamp?',
    answer: 'You may return a lamp within 30 days. It is part of our’s promise.',
  });
  await agent('Hours', 'pre-canned', { default_message: 'Open from nine to five.' }, ['When do you open?']);
  await agent('Person', 'human-escalation', {
    bias: -10,
    human_escalation_settings: { human_requested_message: 'Somebody will be with you.' },
  });
});
afterAll(async () => {
  await running.stop();
  await rm(dir, { recursive: true, force: true });
});

async function agent(name: string, type: string, more: object, examples: string[] = []): Promise<void> {
  const { uuid } = (await running.api('POST', `/chatbot/${chatbot}/agent/create`, { name, type, ...more })).body;
  await running.api('POST', `/agent/${uuid}/update`, { enabled: true, ...more });
  await running.api('POST', `/agent/${uuid}/routing`, { examples });
}

async function docent(words: string[], env: NodeJS.ProcessEnv = {}, onInterrupt?: (act: () => void) => () => void) {
  const said = { out: '', err: '' };
  const terminal = {
    out: (text: string) => (said.out += text),
    err: (text: string) => (said.err += text),
    ...(onInterrupt && { onInterrupt }),
  };
  return { code: await runCommand(words, { DATA_DIR: running.dataDir, ...env }, terminal), ...said };
}

async function file(yaml: string, name = 'talk.yaml'): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, yaml);
  return path;
}

const HOLDS = `
chatbot: lamps
conversations:
  - name: returns, then a person
    variables: { plan: pro, visits: 3 }
    turns:
      - ask: How long may I return a lamp?
        agent: General Q&A
        cites: [how long may i return]
        answer: { contains: ["within 30  DAYS", "our's"], excludes: Friday, quotes: true, unknown: false }
        state: none
        labels: []
        tools: []
        variables: { plan: pro, visits: 3 }
      - ask: When do you open?
        agent: Hours
        answer: { quotes: false }
      - ask: I want to talk to a human, please
        agent: person
        state: requested
  - name: nothing known
    turns:
      - ask: Who wrote the opera about the flying whale?
        answer: { unknown: true }
`;

describe('docent test', () => {
  it('exits with 0 where all holds, and leaves no session behind', async () => {
    const { code, out, err } = await docent(['test', await file(HOLDS)]);
    expect({ code, err, out }).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^2 conversations: 2 held, 0 failed in [\d.]+ s, without a model\n$/),
    });
    expect((await running.api('GET', `/chatbot/${chatbot}/sessions`)).body).toEqual([]);
  });

  it('holds them over HTTP with a key', async () => {
    const words = ['test', await file(HOLDS), '--server', running.base];
    const env = { DATA_DIR: join(dir, 'none'), DOCENT_API_KEY: API_KEY };
    expect(await docent(words, env)).toMatchObject({ code: 0, err: '', out: expect.stringContaining('2 held') });
    expect(await docent(words, { ...env, DOCENT_API_KEY: 'a-wrong-key-of-nobody' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('DOCENT_API_KEY'),
    });
    expect(await docent(words, { DATA_DIR: join(dir, 'none') })).toMatchObject({
      code: 2,
      err: expect.stringContaining('DOCENT_API_KEY'),
    });
    expect((await running.api('GET', `/chatbot/${chatbot}/sessions`)).body).toEqual([]);
  });

  it('holds them without a server, and stores nothing', async () => {
    const own = join(dir, 'own');
    const store = await openLowdbStore({ dir: own, clock: Date.now });
    const now = '2026-01-02T03:04:05Z';
    const meta = { rate_limit: [20, 240] as [number, number], rate_limit_message: '', show_citations: true };
    const record = { uuid: 'a'.repeat(32), name: 'Lamps', created_at: now, modified_at: now };
    const bot = { ...record, meta: { ...meta, visibility: 'private' as const }, owner: store.owner.user.uuid };
    const hours = newAgent(
      bot.uuid,
      { name: 'Hours', type: 'pre-canned', settings: { default_message: 'At nine.', bias: 1 } },
      Date.now,
    );
    const person = newAgent(bot.uuid, { name: 'Person', type: 'human-escalation' }, Date.now);
    await store.createChatbot(bot, [
      { ...hours, enabled: 1 },
      { ...person, enabled: 1 },
    ]);
    await store.close();
    const before = await readdir(own, { recursive: true });
    const path = await file(`
conversations:
  - name: hours, and then a person
    turns:
      - { ask: When do you open?, agent: Hours, state: none, answer: { contains: at nine } }
      - { ask: I want to talk to a human, agent: Person, state: requested }
      - { ask: When do you open?, agent: Hours, state: requested }
`);
    expect(await docent(['test', path], { DATA_DIR: own })).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('1 held'),
    });
    expect(await readdir(own, { recursive: true })).toEqual(before);
  });

  const FAILS = `
chatbot: ${'Lamps'}
conversations:
  - name: <everything> & "more"
    turns:
      - ask: When do you open?
        agent: General Q&A
        cites: lamp
        answer: { contains: midnight, excludes: nine, quotes: true, unknown: true }
        state: requested
        labels: [Complaint]
        variables: { plan: pro }
        tools: [look_up]
  - name: fine
    turns: [{ ask: When do you open?, agent: Hours }]
`;

  it('exits with 1 and shows what differs, with the scores, where something does not hold', async () => {
    const path = await file(FAILS);
    const { code, out } = await docent(['test', path]);
    expect(code).toBe(1);
    expect(out).toContain(`✗ <everything> & "more" (${path}:4)\n  turn 1 (line 6): When do you open?\n`);
    const expected = {
      agent: ['General Q&A', 'Hours'],
      cites: ['lamp', 'nothing is cited'],
      state: ['requested', 'none'],
      labels: ['Complaint', 'none'],
      'variables.plan': ['pro', 'not set'],
      tools: ['look_up', 'none'],
    };
    for (const [what, [wanted, got]] of Object.entries(expected))
      expect(out).toContain(`    ${what}\n      - ${wanted}\n      + ${got}\n`);
    const wanted = ['“midnight” in it', 'no “nine” in it', 'sources', '“I don’t know”'];
    expect(out).toContain(
      `    answer\n${wanted.map((one) => `      - ${one}\n`).join('')}      + Open from nine to five.\n`,
    );
    expect(out).toMatch(
      /^ {4}Hours answered: the highest score, margin [\d.]+\n +[\d.]+ {2}Hours \(classifier [\d.]+\)$/m,
    );
    expect(out).toContain('2 conversations: 1 held, 1 failed in ');
  });

  it('counts calls that succeed, and those that fail where that is expected, and shows why', async () => {
    const [general] = (await running.api('GET', `/chatbot/${chatbot}/agents`)).body;
    const one = { name: 'order_state', method: 'GET', external_url: 'http://10.0.0.3/orders' };
    const meta = { examples: ['Where is my parcel today?'] };
    const { uuid } = (await running.api('POST', `/agent/${general.uuid}/function/create`, { ...one, meta })).body;
    const path = await file(`
chatbot: Lamps
conversations:
  - { name: called, turns: [{ ask: Where is my parcel today?, tools: [order_state] }] }
  - { name: not called, turns: [{ ask: Where is my parcel today?, tools: [] }] }
  - { name: failed, turns: [{ ask: Where is my parcel today?, tools: [{ fails: order_state }] }] }
  - { name: answered, turns: [{ ask: Where is my parcel today?, answer: { contains: on its way } }] }
`);
    const { code, out } = await docent(['test', path]);
    await running.api('POST', `/function/${uuid}/delete`);
    expect(code).toBe(1);
    const fault = 'the address of the function is not allowed';
    expect(out).toContain(`    tools\n      - order_state\n      + order_state (failed: ${fault})\n`);
    expect(out).toContain(`    the call of order_state failed: ${fault}\n`);
    expect(out).toContain('4 conversations: 2 held, 2 failed');
  });

  it('says what is wrong with an expected call', async () => {
    const path = await file('conversations: [{ name: a, turns: [{ ask: b, tools: [{ fails: c, when: d }] }] }]');
    const { code, err } = await docent(['test', path]);
    expect([code, err]).toEqual([2, expect.stringContaining('turns[0].tools[0].when is not a key that is known')]);
  });

  it('writes well-formed JUnit XML', async () => {
    const junit = join(dir, 'junit.xml');
    const path = await file(FAILS.replace('"more"', '"m\\u0007ore" ]]>'));
    expect((await docent(['test', path, '--junit', junit])).code).toBe(1);
    const xml = await readFile(junit, 'utf8');
    expect(faultOfXml(xml)).toBeUndefined();
    expect(xml).toMatch(/<testsuites tests="2" failures="1" errors="0" time="[\d.]+">/);
    expect(xml.match(/<testcase /g)).toHaveLength(2);
    expect(xml.match(/<testcase [^>]* time="\d+\.\d{3}"/g)).toHaveLength(2);
    const message = 'turn 1: agent: General Q&#38;A, but Hours (and 9 more)';
    expect(xml.match(/<failure message="[^"]*"/g)).toEqual([`<failure message="${message}"`]);
  });

  it('exits with 2 before it asks anything where the JUnit XML cannot be written or the server cannot be reached', async () => {
    const path = await file(HOLDS);
    const refused = async (junit: string): Promise<string> => {
      const { code, out, err } = await docent(['test', path, '--junit', junit]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      return err;
    };
    const [gone, below] = [join(dir, 'gone', 'junit.xml'), join(path, 'junit.xml')];
    expect(await refused(gone)).toBe(`docent: --junit ${gone} cannot be written: there is no such folder\n`);
    expect(await refused(dir)).toBe(`docent: --junit ${dir} cannot be written: it is a folder\n`);
    expect(await refused(below)).toBe(`docent: --junit ${below} cannot be written: ${path} is no folder\n`);
    const words = ['test', path, '--server', 'http://127.0.0.1:9'];
    expect(await docent(words, { DOCENT_API_KEY: API_KEY })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^docent: http:\/\/127\.0\.0\.1:9 cannot be reached: /),
    });
  });

  it.each([
    [
      'before a session is there',
      (path: string) => path.endsWith('/session/create'),
      '0 held, 2 failed',
      /cannot be reached/,
    ],
    ['before a session is deleted', (path: string) => path.endsWith('/delete'), '0 held, 2 failed', /is not deleted: /],
    ['after a session was deleted', (_path: string, gone: number) => gone > 0, '1 held, 1 failed', /cannot be reached/],
  ])('keeps what was held where the server goes away %s', async (_, isGone, held, why) => {
    let deleted = 0;
    const front = createServer((request, response) => {
      const { url = '', method = '', headers } = request;
      if (isGone(url, deleted)) return void request.socket.destroy();
      if (url.endsWith('/delete')) deleted += 1;
      const sent = { method, headers: headers as Record<string, string>, duplex: 'half' } as const;
      const body = method === 'POST' ? { body: request as unknown as BodyInit } : {};
      void fetch(running.base + url, { ...sent, ...body }).then(async (reply) => {
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
      });
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const [junit, address] = [join(dir, 'away.xml'), `http://127.0.0.1:${(front.address() as AddressInfo).port}`];
    const words = ['test', await file(HOLDS), '--server', address, '--junit', junit];
    const { code, out, err } = await docent(words, { DOCENT_API_KEY: API_KEY });
    expect({ code, err, out }).toEqual({ code: 1, err: '', out: expect.stringMatching(why) });
    expect(out).toContain(`2 conversations: ${held}`);
    expect((await readFile(junit, 'utf8')).match(/<testcase /g)).toHaveLength(2);
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
    for (const { uuid } of (await running.api('GET', `/chatbot/${chatbot}/sessions`)).body)
      await running.api('POST', `/session/${uuid}/delete`);
    await rm(junit);
  });

  it('shows the values of variables as rules see them: of a static one what the conversation begins with', async () => {
    const variables = [
      { name: 'season', default_value: { content: 'summer', static: 1 } },
      { name: 'visits', type: 'number', default_value: { content: '1', static: 0 } },
      { name: 'region', default_value: { content: 'north', static: 0 } },
      { name: 'nickname', default_value: { content: '', static: 0 } },
    ];
    const [{ uuid }] = (await running.api('GET', `/chatbot/${chatbot}/agents`)).body;
    await running.api('POST', `/agent/${uuid}/update`, { variables });
    const path = await file(`
conversations:
  - name: values
    variables: { season: winter, visits: "4", plan: pro }
    turns:
      - ask: When do you open?
        variables: { season: winter, visits: 4, region: north, plan: pro, nickname: null }
`);
    expect(await docent(['test', path])).toMatchObject({ code: 0, out: expect.stringContaining('1 held') });
    await running.api('POST', `/agent/${uuid}/update`, { variables: [] });
  });

  it('takes the chatbot of --chatbot before that of the file', async () => {
    const path = await file(HOLDS.replace('chatbot: lamps', 'chatbot: nobody'));
    expect(await docent(['test', path])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no chatbot "nobody"'),
    });
    expect((await docent(['test', path, '--chatbot', 'LAMPS'])).code).toBe(0);
  });

  it('holds all files of a folder, and no others', async () => {
    const folder = join(dir, 'folder');
    await mkdir(folder);
    expect(await docent(['test', folder])).toMatchObject({ code: 2, err: expect.stringContaining('.yaml') });
    await writeFile(join(folder, 'a.yaml'), HOLDS);
    await writeFile(join(folder, 'b.yml'), HOLDS);
    await writeFile(join(folder, 'c.txt'), 'no');
    expect(await docent(['test', folder])).toMatchObject({ code: 0, out: expect.stringContaining('4 held') });
  });

  it('says the same a hundred times', async () => {
    const path = await file(FAILS + HOLDS.split('conversations:\n')[1]);
    const said = new Set<string>();
    for (let round = 0; round < 100; round++) {
      const { out } = await docent(['test', path]);
      said.add(out.replace(/ in [\d.]+ s/, ''));
    }
    expect([...said]).toEqual([expect.stringContaining('4 conversations: 3 held, 1 failed')]);
  });

  it('deletes the session of a conversation that Ctrl-C stops, and exits with 130', async () => {
    const path = await file(HOLDS);
    const { code, out } = await docent(['test', path], {}, (act) => {
      act();
      return () => {};
    });
    expect({ code, out }).toEqual({ code: 130, out: expect.stringContaining('2 not asked') });
    expect((await running.api('GET', `/chatbot/${chatbot}/sessions`)).body).toEqual([]);
  });
});

describe('a file with an error is refused with its line and key, and exit code 2:', () => {
  it.each([
    ['conversations: [', /talk\.yaml:\d+: this is not YAML/],
    ['', /talk\.yaml:1: the file must be keys with values/],
    ['chatbot: x', /talk\.yaml:1: the file must have the key "conversations"/],
    ['conversations: []', /talk\.yaml:1: conversations must not be an empty list/],
    ['conversation:\n', /talk\.yaml:1: conversation is not a key that is known; did you mean "conversations"\?/],
    ['conversations:\n- name: a\n', /talk\.yaml:2: conversations\[0\] must have the key "turns"/],
    [
      'conversations:\n- name: a\n  turns:\n  - {agent: b}',
      /talk\.yaml:4: conversations\[0\]\.turns\[0\] must have the key "ask"/,
    ],
    [
      turn('agnet: b'),
      /talk\.yaml:5: conversations\[0\]\.turns\[0\]\.agnet is not a key that is known; did you mean "agent"\?/,
    ],
    [
      turn('answer: { quote: true }'),
      /talk\.yaml:5: .*\.answer\.quote is not a key that is known; did you mean "quotes"\?/,
    ],
    [turn('answer: { quotes: perhaps }'), /talk\.yaml:5: .*\.answer\.quotes must be true or false/],
    [turn('answer:'), /talk\.yaml:5: .*\.answer must be keys with values/],
    [turn('cites: []'), /talk\.yaml:5: .*\.cites must not be an empty list/],
    [turn('cites: { a: b }'), /talk\.yaml:5: .*\.cites must be a list/],
    [turn('labels:\n    - ok\n    -'), /talk\.yaml:\d: .*\.labels\[1\] must be a single value/],
    [turn('variables: { a: [1] }'), /talk\.yaml:5: .*\.variables\.a must be a single value/],
    [turn('agent: [a]'), /talk\.yaml:5: .*\.agent must be a single value/],
    [turn('ask: again'), /talk\.yaml:5: this is not YAML: .*unique/],
    [turn('agent: " "'), /talk\.yaml:5: .*\.agent must be a text/],
  ])('%j', async (yaml, message) => {
    const { code, err, out } = await docent(['test', await file(yaml)]);
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringMatching(message), out: '' });
  });

  it('a file that is not there', async () => {
    const path = join(dir, 'gone.yaml');
    expect(await docent(['test', path])).toEqual({
      code: 2,
      err: `docent: ${path}: there is no such file or folder\n`,
      out: '',
    });
  });
});

function turn(more: string): string {
  return `conversations:\n- name: a\n  turns:\n  - ask: b\n    ${more}`;
}

/** The first place where the text is not well-formed XML of plain elements; undefined where there is none. */
function faultOfXml(xml: string): string | undefined {
  const open: string[] = [];
  const declared = xml.replace('<?xml version="1.0" encoding="UTF-8"?>\n', '');
  const rest = declared.replace(
    /<(\/?)(\w+)((?: \w+="(?:[^<&"]|&#\d+;)*")*)(\/?)>|(?:[^<&\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#\d+;)/gu,
    (_, end?: string, name?: string, __?: string, empty?: string) => {
      if (name === undefined || empty) return '';
      if (!end) open.push(name);
      return end && open.pop() !== name ? `</${name}>` : '';
    },
  );
  return rest || (open.length > 0 ? `<${open.join('><')}>` : undefined);
}
