import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, start, until, type Running } from '../../running.ts';
import { faultyDisk } from '../../store/faulty-disk.ts';

/** The whole server on a disk that refuses. */
describe('a server whose disk refuses', () => {
  let dir: string;
  let docent: Running;
  let bot: string;
  let session: string;
  const disk = faultyDisk();
  const restart = async () => {
    await docent.stop();
    docent = await start({ DATA_DIR: dir }, disk);
  };
  const readyz = async () => {
    const reply = await fetch(`${docent.base}/readyz`);
    return { code: reply.status, body: await reply.json() };
  };
  const ask = () => docent.api('POST', `/session/${session}/message/non-stream`, { query: 'Who pays?' });
  const messages = async () => (await docent.api('GET', `/session/${session}/messages`)).body;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-full-'));
    docent = await start({ DATA_DIR: dir }, disk);
    bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
    session = (await docent.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
    expect((await ask()).status).toBe(200);
  });
  afterEach(async () => {
    disk.heal();
    await docent.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const faults: [code: string, status: number, error: string, retry: string | null, sentence: string][] = [
    ['ENOSPC', 507, 'disk_full', null, 'the disk of the server is full'],
    ['EDQUOT', 507, 'disk_full', null, 'the disk quota of the server is used up'],
    ['EROFS', 503, 'unavailable', '5', 'the disk of the server is read-only'],
    ['EIO', 503, 'unavailable', '5', 'the disk of the server fails'],
    ['EMFILE', 503, 'unavailable', '5', 'the server has too many files open'],
    ['ENFILE', 503, 'unavailable', '5', 'the machine of the server has too many files open'],
  ];
  it.each(faults)(
    'with %s answers %i to writes, goes on reading, and is ready again after a write',
    async (...fault) => {
      const [code, status, error, retry, sentence] = fault;
      const before = await messages();
      disk.failing('write', code);
      for (const reply of [
        await docent.api('POST', '/chatbot/create', { name: 'Another' }),
        await docent.api('POST', `/chatbot/${bot}/session/create`),
        await docent.api('POST', `/chatbot/${bot}/update`, { name: 'New' }),
        await ask(),
      ]) {
        expect([reply.status, reply.body.code]).toEqual([status, error]);
        expect([reply.headers.get('retry-after'), reply.body.error]).toEqual([
          retry,
          `${sentence}; nothing was stored`,
        ]);
      }
      expect(await messages()).toEqual(before);
      const reasons = [expect.stringContaining(`nothing can be stored: ${sentence}`)];
      expect(await readyz()).toEqual({ code: 503, body: { status: 'failing', reasons } });
      expect((await fetch(`${docent.base}/healthz`)).status).toBe(200);
      disk.heal();
      expect((await ask()).status).toBe(200);
      expect(await readyz()).toEqual({ code: 200, body: { status: 'ok' } });
      expect(await messages()).toHaveLength(2);
    },
  );

  it('is ready again without a caller, once the disk takes a small file', async () => {
    disk.failing('write', 'ENOSPC');
    await docent.api('POST', '/chatbot/create', { name: 'Another' });
    expect((await readyz()).code).toBe(503);
    const tried = disk.count('write');
    await until(
      () => Promise.resolve(disk.count('write')),
      (count) => count > tried + 2,
    );
    expect((await readyz()).code).toBe(503);
    disk.heal();
    await until(readyz, ({ code }) => code === 200);
  });

  it('starts, serves what is stored, and stores again when it can', async () => {
    const before = await messages();
    await docent.stop();
    disk.failing('write', 'ENOSPC');
    docent = await start({ DATA_DIR: dir }, disk);
    expect((await readyz()).code).toBe(503);
    // Who reads a conversation is noted before it is handed out.
    expect(await messages()).toMatchObject({ code: 'disk_full' });
    expect((await docent.api('GET', '/chatbots')).body).toHaveLength(1);
    expect((await docent.api('POST', '/chatbot/create', { name: 'Another' })).status).toBe(507);
    expect((await docent.api('POST', `/chatbot/${bot}/session/create`)).status).toBe(507);
    disk.heal();
    await until(readyz, ({ code }) => code === 200);
    expect(await messages()).toEqual(before);
    const made = [];
    for (const name of ['second', 'third']) made.push((await docent.api('POST', '/chatbot/create', { name })).status);
    expect(made).toEqual([200, 200]);
    await restart();
    await docent.api('POST', '/chatbot/create', { name: 'fourth' });
    const names = (await docent.api('GET', '/chatbots')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Shop', 'second', 'third', 'fourth']);
  });

  it('shows an answer that it could not store as interrupted', async () => {
    disk.failing('datasync', 'ENOSPC');
    const { status, body } = await ask();
    expect([status, body.error]).toEqual([
      507,
      'the disk of the server is full; the question was stored, its answer was not',
    ]);
    disk.heal();
    const reasons = (await messages()).map(({ finish_reason }: { finish_reason: string }) => finish_reason);
    expect(reasons).toEqual(['stop', 'interrupted']);
  });

  it('stores an answer that found no free file descriptor at first', async () => {
    disk.failing('datasync', 'EMFILE');
    const reply = ask();
    await until(readyz, ({ code }) => code === 503);
    disk.heal();
    expect((await reply).status).toBe(200);
    const reasons = (await messages()).map(({ finish_reason }: { finish_reason: string }) => finish_reason);
    expect(reasons).toEqual(['stop', 'stop']);
  });

  describe('where a message gives the value of a variable', () => {
    const meta = async () => (await docent.api('GET', `/session/${session}`)).body.meta;
    const give = () => docent.api('POST', `/session/${session}/message/non-stream`, { query: 'I am ada@example.com' });
    const lastReason = async () => (await messages()).at(-1).finish_reason;
    beforeEach(async () => {
      const [agent] = (await docent.api('GET', `/chatbot/${bot}/agents`)).body;
      await docent.api('POST', `/agent/${agent.uuid}/update`, { variables: [{ name: 'email' }] });
    });

    it('stores both where the session finds no free file descriptor at first', async () => {
      disk.failing('rename', 'EMFILE', 1);
      expect((await give()).status).toBe(200);
      expect([await lastReason(), await meta()]).toEqual(['stop', { variables: { email: 'ada@example.com' } }]);
    });

    it('stores the answer where the session cannot be stored', async () => {
      disk.failing('rename', 'ENOSPC');
      expect((await give()).status).toBe(200);
      expect([await lastReason(), await meta()]).toEqual(['stop', {}]);
    });
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'])(
    'with %s tells a visitor that the answer cannot be stored, and not that there is too much to do',
    async (code) => {
      await docent.api('POST', `/chatbot/${bot}/update`, { visibility: 'public' });
      disk.failing('write', code);
      const reply = await fetch(`${docent.base}/chat/${bot}/ask`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: 'Who pays?' }),
      });
      const text = await reply.text();
      expect(text).toContain('answers cannot be stored at the moment; please ask again later');
      expect(text).not.toContain('too much to do');
    },
  );

  it('refuses a visitor before the stream, in front of an upstream too', async () => {
    await docent.api('POST', `/chatbot/${bot}/update`, { visibility: 'public' });
    disk.failing('write', 'EROFS');
    const reply = await fetch(`${docent.base}/chat/${bot}/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${API_KEY}` },
      body: '{}',
    });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
  });
});
