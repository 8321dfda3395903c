import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWN, send, signIn } from '../../console/requests.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';
import { realDisk, type Disk } from '../../../server/store/lowdb/files/disk.ts';

/** What is noted of a change that is made in part, of one that is about many records, and of somebody else's conversation. */

let docent: Running;
let isFailing: (path: string) => boolean;
const disk: Disk = {
  ...realDisk,
  open(path, flags, mode) {
    if (isFailing(String(path))) throw Object.assign(new Error('a fault of the tests'), { code: 'EACCES' });
    return realDisk.open(path, flags, mode);
  },
  unlink(path) {
    if (isFailing(String(path))) throw Object.assign(new Error('a fault of the tests'), { code: 'EACCES' });
    return realDisk.unlink(path);
  },
};
let chatbot: string;
beforeEach(async () => {
  isFailing = () => false;
  docent = await start({}, disk);
  const made = await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' });
  chatbot = made.body.uuid;
});
afterEach(() => docent.stop());

interface Entry {
  operation: string;
  record: string;
  detail: string;
}

const noted = async (operation: string): Promise<Entry[]> =>
  ((await docent.api('GET', `/chatbot/${chatbot}/audit`)).body as Entry[]).filter((one) => one.operation === operation);

async function newSources(count: number): Promise<string[]> {
  const added = Array.from({ length: count }, (_, n) =>
    docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: `Is it ${n}?`, answer: `It is ${n}.` }),
  );
  const uuids = (await Promise.all(added)).map(({ body }) => body.uuid as string);
  await until(
    async () => (await docent.api('GET', `/chatbot/${chatbot}/data-sources?state=ready`)).body,
    ({ length }) => length === count,
  );
  return uuids;
}

describe('a change of many records', () => {
  it('is an entry of each where they are few', async () => {
    const uuids = await newSources(5);
    await docent.api('POST', '/data-sources/delete', { uuids });
    const entries = await noted('deleteSources');
    expect(entries.map(({ record }) => record).toSorted()).toEqual(uuids.toSorted());
  });

  it('is one entry with their number and the first of them where they are many', async () => {
    const uuids = await newSources(40);
    await docent.api('POST', '/data-sources/delete', { uuids });
    const [entry, ...others] = await noted('deleteSources');
    expect(others).toEqual([]);
    expect(entry!.record).toBe('');
    const [, count, first] = /^(\d+) records: ([0-9a-f, ]+), …$/.exec(entry!.detail) ?? [];
    expect(count).toBe('40');
    expect(first!.split(', ')).toHaveLength(5);
    for (const uuid of first!.split(', ')) expect(uuids).toContain(uuid);
  });
});

describe('a change that fails', () => {
  it('is not noted as failed where only its entry could not be stored at once', async () => {
    isFailing = (path) => path.includes('/audit/');
    const form = new FormData();
    form.append('file', new Blob(['The workshop is open from nine to five.']), 'a.txt');
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const path = `${docent.base}/api/v1/chatbot/${chatbot}/data-source/upload`;
    expect((await fetch(path, { method: 'POST', headers, body: form })).status).toBe(500);
    isFailing = () => false;
    await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: 'Is it?', answer: 'It is.' });
    expect(await noted('createFileSource')).toMatchObject([{ detail: '' }]);
  });

  it('is noted as attempted where part of it may be made, of many records too', async () => {
    const uuids = await newSources(6);
    isFailing = (path) => path.includes(uuids[1]!);
    expect((await docent.api('POST', '/data-sources/delete', { uuids })).status).toBe(500);
    isFailing = () => false;
    expect((await noted('deleteSources')).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^attempted; it failed, and may be made in part; 6 records: /),
    ]);
  });

  it('is noted as attempted where part of it may be made', async () => {
    const [first, second] = await newSources(2);
    isFailing = (path) => path.includes(second!);
    const { status } = await docent.api('POST', '/data-sources/delete', { uuids: [first, second] });
    expect(status).toBe(500);
    isFailing = () => false;
    const left = (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body;
    expect(left.map(({ uuid }: { uuid: string }) => uuid)).toEqual([second]);
    const entries = await noted('deleteSources');
    expect(entries.map(({ record }) => record).toSorted()).toEqual([first, second].toSorted());
    expect(new Set(entries.map(({ detail }) => detail))).toEqual(
      new Set(['attempted; it failed, and may be made in part']),
    );
  });

  it('is no entry where it was refused', async () => {
    const { status } = await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: '' });
    expect(status).toBe(422);
    expect(await noted('createQaSource')).toEqual([]);
  });
});

describe('a question by a key', () => {
  const ask = (session: string) =>
    docent.api('POST', `/session/${session}/message/non-stream`, { query: 'Is it open?' });
  const stream = (session: string) =>
    fetch(`${docent.base}/api/v1/session/${session}/message/stream`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'Is it open?' }),
    }).then((reply) => reply.text());

  it('in the session of a visitor is noted once', async () => {
    const session = (await send(docent.base, 'POST', `/chat/${chatbot}/session`, {}, {})).body.uuid;
    await ask(session);
    await ask(session);
    await stream(session);
    await stream(session);
    for (const operation of ['createMessage', 'streamMessage'])
      expect(await noted(operation)).toEqual([expect.objectContaining({ operation, record: session, detail: '' })]);
  });

  it('is not asked where that cannot be noted', async () => {
    const session = (await send(docent.base, 'POST', `/chat/${chatbot}/session`, {}, {})).body.uuid;
    isFailing = (path) => path.includes('/audit/');
    expect((await ask(session)).status).toBe(500);
    isFailing = () => false;
    expect((await docent.api('GET', `/session/${session}/messages`)).body).toEqual([]);
  });

  it('in a session that keys have made, for themselves or for a visitor, is its own record', async () => {
    for (const body of [undefined, { from_visitor: true }])
      await ask((await docent.api('POST', `/chatbot/${chatbot}/session/create`, body)).body.uuid);
    expect(await noted('createMessage')).toEqual([]);
  });
});

it('of a session for a test alone nothing is noted, and of another key’s it is', async () => {
  const newSession = async (body: object): Promise<string> =>
    (await docent.api('POST', `/chatbot/${chatbot}/session/create`, body)).body.uuid;
  for (const session of [
    await newSession({ dry_run: true }),
    await newSession({ dry_run: true, from_visitor: true }),
  ]) {
    await docent.api('POST', `/session/${session}/message/trace`, { query: 'Is it open?' });
    await docent.api('POST', `/session/${session}/message/non-stream`, { query: 'Is it open?' });
    const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
    await docent.api('GET', `/message/${message.uuid}`);
    await docent.api('POST', `/message/${message.uuid}/delete`);
    await docent.api('POST', `/session/${session}/delete`);
  }
  for (const operation of ['traceMessage', 'listMessages', 'getMessage', 'deleteMessage', 'deleteSession'])
    expect([operation, (await noted(operation)).length]).toEqual([operation, 1]);
});

it('a sign-out ends the sign-in, and is noted with the next change where it could not be at once', async () => {
  const cookie = await signIn(docent.base, { key: API_KEY });
  isFailing = (path) => path.includes('/audit/');
  const out = await send(docent.base, 'DELETE', '/console/session', { ...OWN, cookie });
  expect([out.status, out.body]).toEqual([200, { signed_out: true }]);
  expect(out.headers['set-cookie']![0]).toMatch(/Max-Age=0/);
  isFailing = () => false;
  expect((await send(docent.base, 'GET', '/console/session', { ...OWN, cookie })).status).toBe(401);
  await docent.api('POST', '/chatbot/create', { name: 'Other' });
  const own = (await docent.api('GET', '/user/audit')).body as Entry[];
  expect(own.filter(({ operation }) => operation === 'signOut')).toHaveLength(1);
});
