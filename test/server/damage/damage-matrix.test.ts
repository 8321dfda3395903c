import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { start, until, type Running } from '../../running.ts';

/**
 * Every kind of file in the data folder, damaged in every way: the server starts, or refuses and names the file; what is
 * not damaged is served as before, no GET fails, and no message leaves the disk.
 */

const GETS = operations({} as ApiDeps).filter(({ method }) => method === 'GET');
const QA = { question: 'How long do I have to return something?', answer: 'You have 45 days to return something.' };

interface CreatedRecords {
  chatbot: string;
  agent: string;
  source: string;
  tag: string;
  session: string;
  message: string;
}

let template: string;
let [damaged, intact] = [{} as CreatedRecords, {} as CreatedRecords];
let intactState: unknown;
const folders: string[] = [];

async function createRecords(docent: Running): Promise<CreatedRecords> {
  const post = async (path: string, body?: object) => (await docent.api('POST', path, body)).body.uuid as string;
  const chatbot = await post('/chatbot/create', { name: 'Shop', show_citations: true });
  const agent = await post(`/chatbot/${chatbot}/agent/create`, { name: 'Desk', type: 'user-facing' });
  const external_url = 'https://shop.example.com/orders';
  const description = 'Tells where an order is.';
  const parameters = { type: 'object', properties: {} };
  await post(`/agent/${agent}/function/create`, {
    name: 'order',
    description,
    external_url,
    method: 'POST',
    parameters,
  });
  await docent.api('POST', `/chatbot/${chatbot}/widget/update`, { greeting: 'Hello', suggestions: ['Who pays?'] });
  const form = new FormData();
  form.set('file', new File(['Shipping to Canada costs nine dollars a parcel.'], 'shipping.txt'));
  await fetch(`${docent.base}/api/v1/chatbot/${chatbot}/data-source/upload`, {
    method: 'POST',
    headers: { Authorization: 'Bearer the-key-of-the-tests' },
    body: form,
  });
  const source = await post(`/chatbot/${chatbot}/data-source/qa`, QA);
  const tag = await post(`/chatbot/${chatbot}/source-tag/create`, { name: 'Policies', color: '#1D4ED8' });
  await until(
    async () => (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body as { status: string }[],
    (all) => all.length === 2 && all.every(({ status }) => status === 'success'),
  );
  const session = await post(`/chatbot/${chatbot}/session/create`);
  for (const query of [QA.question, 'What does shipping to Canada cost?'])
    await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const message = (await docent.api('GET', `/session/${session}/messages`)).body[1].uuid as string;
  return { chatbot, agent, source, tag, session, message };
}

async function stateOf(
  docent: Running,
  { chatbot, agent, source, session, message }: CreatedRecords,
): Promise<unknown> {
  const lists = ['', '/widget', '/agents', '/data-sources', '/source-tags', '/sessions'];
  const paths = lists.map((list) => `/chatbot/${chatbot}${list}`);
  paths.push(`/agent/${agent}`, `/data-source/${source}`, `/session/${session}/messages`, `/message/${message}`);
  const replies = [];
  for (const path of paths) replies.push(await docent.api('GET', path));
  return replies.map(({ status, body }) => ({ status, body: body as unknown }));
}

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'docent-matrix-'));
  const docent = await start({ DATA_DIR: template });
  [damaged, intact] = [await createRecords(docent), await createRecords(docent)];
  intactState = await stateOf(docent, intact);
  await docent.stop();
  const store = await openLowdbStore({ dir: template, clock: Date.now });
  const passages = (await store.document(damaged.source))!.passages.length;
  await store.putVectors(damaged.source, { model: 'm', dimensions: 4, rows: new Int8Array(passages * 4).fill(3) });
  await store.close();
}, 60_000);
afterAll(async () => {
  await rm(template, { recursive: true, force: true });
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const files = (dir: string): string[] =>
  (readdirSync(dir, { recursive: true }) as string[])
    .map((name) => join(dir, name))
    .filter((name) => statSync(name).isFile());

/** The file of each kind that is damaged, by a part of its name. */
const KINDS: Record<string, () => string> = {
  account: () => 'store.json',
  chatbot: () => `${damaged.chatbot}.json`,
  source: () => `${damaged.source}.source.json`,
  passages: () => `${damaged.source}.document.json`,
  vectors: () => `${damaged.source}.vectors.json`,
  session: () => `${damaged.session}.`,
};

const text = (bytes: Buffer): string => bytes.toString('latin1');
const withFlippedBit = (seed: number) => (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy[(seed * 7919) % copy.length]! ^= 1 << (seed % 8);
  return copy;
};
/** Of all values below a key in the text, that one is of another type. */
const withChangedType = (seed: number) => (bytes: Buffer) => {
  const places = [...text(bytes).matchAll(/"[a-z_]+":(?="|\d|true|false|\[|\{)/g)];
  const { index, 0: key } = places[(seed * 31) % places.length]!;
  const at = index + key.length;
  const value = /^(?:"(?:[^"\\]|\\.)*"|[\d.]+|true|false|[[{])/.exec(text(bytes).slice(at))![0];
  const other = value === '[' || value === '{' ? `7,"x":${value}` : value.startsWith('"') ? '7' : '"seven"';
  return Buffer.from(text(bytes).slice(0, at) + other + text(bytes).slice(at + value.length), 'latin1');
};
const WAYS: Record<string, (bytes: Buffer) => Buffer> = {
  empty: () => Buffer.alloc(0),
  'cut in half': (bytes) => bytes.subarray(0, bytes.length >> 1),
  zeros: (bytes) => Buffer.alloc(bytes.length),
  'zeros in its second half': (bytes) => Buffer.from(bytes).fill(0, bytes.length >> 1),
  ...Object.fromEntries([1, 2, 3].map((n) => [`flipped bit ${n}`, withFlippedBit(n * 13)])),
  ...Object.fromEntries(['[]', 'null', '{}', '7', '"text"'].map((json) => [json, () => Buffer.from(json)])),
  '{} on a line': () => Buffer.from('{}\n'),
  ...Object.fromEntries([1, 2, 3].map((n) => [`value ${n} of another type`, withChangedType(n)])),
};

const damages = Object.keys(KINDS).flatMap((kind) => Object.keys(WAYS).map((way) => [kind, way] as const));

async function walk(docent: Running): Promise<void> {
  const idsOf = (path: string): string[] => {
    const key = (['message', 'session', 'agent'] as const).find((one) => path.includes(`/${one}/:uuid`));
    if (key) return [damaged[key], intact[key]];
    if (/data-source\/:uuid/.test(path)) return [damaged.source, intact.source];
    return [damaged.chatbot, intact.chatbot];
  };
  for (const { path } of GETS) {
    for (const uuid of path.includes(':uuid') || path.includes(':chatbot') ? idsOf(path) : ['']) {
      const whole = path.replace(':chatbot', uuid).replace(':uuid', uuid);
      const { status } = await docent.api('GET', whole.replace(/^\/api\/v1/, ''));
      expect([whole, status < 500], String(status)).toEqual([whole, true]);
    }
  }
}

/** The answer to a question, which has to be one, or that there is no such session or chatbot. */
async function ask(docent: Running, { chatbot, session }: CreatedRecords): Promise<number[]> {
  const inOld = await docent.api('POST', `/session/${session}/message/non-stream`, { query: QA.question });
  const made = await docent.api('POST', `/chatbot/${chatbot}/session/create`);
  return [inOld.status, made.status];
}

describe('a damaged data folder', () => {
  it.each(damages)('with its %s file damaged, %s, loses nothing else', async (kind, way) => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-damaged-'));
    folders.push(dir);
    cpSync(template, dir, { recursive: true });
    const file = files(dir).find((name) => basename(name).startsWith(KINDS[kind]!()))!;
    const before = readFileSync(file);
    const bytes = WAYS[way]!(before);
    writeFileSync(file, bytes);
    let docent: Running;
    try {
      docent = await start({ DATA_DIR: dir });
    } catch (error) {
      expect([kind, (error as Error).message]).toEqual(['account', expect.stringContaining(file)]);
      expect(readFileSync(file)).toEqual(bytes);
      return;
    }
    try {
      expect(await stateOf(docent, intact)).toEqual(intactState);
      expect(await ask(docent, intact)).toEqual([200, 200]);
      for (const status of await ask(docent, damaged)) expect([200, 404]).toContain(status);
      await walk(docent);
      const ready = await fetch(`${docent.base}/readyz`);
      const health = (await ready.json()) as { status: string; reasons?: string[] };
      const kept = files(dir)
        .filter((name) => name.startsWith(file.replace(/\.jsonl$/, '')))
        .map((name) => readFileSync(name));
      // Damaged bytes that hold anything are on the disk, whatever was written since; and if they are aside, that is said.
      if (text(bytes).includes('"query"') || (kind !== 'session' && bytes.length > 0 && kind !== 'account')) {
        const start = (one: Buffer): boolean => one.subarray(0, bytes.length).equals(bytes);
        const torn = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
        const appended = (one: Buffer): boolean => kind === 'session' && one.subarray(0, torn.length).equals(torn);
        expect(kept.some((one) => start(one) || appended(one))).toBe(true);
      }
      const aside = files(dir).filter((name) => name.endsWith('.damaged'));
      expect([aside.length > 0, health.status]).toEqual([
        aside.length > 0,
        aside.length > 0 ? 'degraded' : health.status,
      ]);
      // Vectors are read by a server with an embeddings model alone, and `{}` is a session's torn first line.
      const unseen = kind === 'vectors' || (kind === 'session' && way === '{}');
      if (/^(?:\[\]|null|\{\}|7|"text"|zeros|\{\} on a line)/.test(way) && !unseen)
        expect([ready.status, health.status]).toEqual([200, 'degraded']);
    } finally {
      await docent.stop();
    }
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(['lock/0-1-00000000', 'docent.sock', 'probe', 'store.json.tmp', 'chatbots/ab.txt', 'sessions/stray'])(
    'starts beside a file of its own, or of nobody, at %s',
    async (name) => {
      const dir = await mkdtemp(join(tmpdir(), 'docent-damaged-'));
      folders.push(dir);
      cpSync(template, dir, { recursive: true });
      writeFileSync(join(dir, name), '{"half');
      const docent = await start({ DATA_DIR: dir });
      expect(await stateOf(docent, intact)).toEqual(intactState);
      await docent.stop();
    },
  );
});
