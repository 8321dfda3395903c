import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportTarget } from '../../../server/store/archive/import.ts';
import { exportArchive } from '../../../server/store/archive/export.ts';
import { importToLowdb } from '../../../server/store/lowdb/import.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { importToPostgres } from '../../../server/store/postgres/moving/archive.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { SnapshotStore } from '../../../server/store/archive/snapshot.ts';
import { makeSchema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';
import {
  aChatbot,
  aDocument,
  aLink,
  aMessage,
  anAgent,
  aSession,
  aSignIn,
  aSite,
  aSource,
  aTag,
  atMinute,
} from '../records.ts';
import { archiveOf, fillWithAll, importFrom, linesOf } from './content.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

interface Place {
  open(): Promise<SnapshotStore>;
  into: ImportTarget;
  clear(): Promise<void>;
}

async function lowdb(): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'docent-archive-'));
  return {
    open: () => openLowdbStore({ dir, clock: Date.now }),
    into: (options) => importToLowdb({ ...options, dir }),
    clear: () => rm(dir, { recursive: true }),
  };
}

async function postgres(): Promise<Place> {
  const { url, drop } = await makeSchema(server!.url);
  return {
    open: () => openPostgresStore({ url, clock: Date.now }),
    into: (options) => importToPostgres({ ...options, url }),
    clear: drop,
  };
}

const pairs = [
  ['files', 'files'],
  ['files', 'postgres'],
  ['postgres', 'files'],
  ['postgres', 'postgres'],
] as const;
const make = { files: lowdb, postgres };

describe.each(server ? pairs : pairs.slice(0, 1))('an archive from %s to %s', (from, to) => {
  let [source, target]: Place[] = [];
  let store: SnapshotStore;
  beforeEach(async () => {
    [source, target] = [await make[from](), await make[to]()];
    store = await source.open();
  });
  afterEach(async () => {
    await store.close();
    await source!.clear();
    await target!.clear();
  });

  const opened = async <T>(act: (imported: SnapshotStore) => Promise<T>): Promise<T> => {
    const imported = await target!.open();
    return act(imported).finally(() => imported.close());
  };

  it('has every record, in the order of creation', async () => {
    const chatbots = await fillWithAll(store);
    const archive = await archiveOf(store);
    const counts = await importFrom(archive, target!.into);
    expect(counts).toMatchObject({ chatbot: 3, source: 3, session: 77, user: 1, key: 2, fact: 2, usage: 4, reply: 2 });
    expect(counts).toMatchObject({ figures: 2, cited: 1 });
    await opened(async (imported) => {
      expect(imported.owner).toEqual(store.owner);
      expect(linesOf(await archiveOf(imported))).toEqual(linesOf(archive));
      for (const chatbot of chatbots) {
        expect(await imported.chatbot(chatbot)).toEqual(await store.chatbot(chatbot));
        expect(await imported.agents(chatbot)).toEqual(await store.agents(chatbot));
        const sessions = await store.sessions(chatbot);
        expect(await imported.sessions(chatbot)).toEqual(sessions);
        for (const { uuid } of sessions) expect(await imported.messages(uuid)).toEqual(await store.messages(uuid));
        for (const { uuid } of await store.sources(chatbot)) {
          expect(await imported.source(uuid)).toEqual(await store.source(uuid));
          expect(await imported.document(uuid)).toEqual(await store.document(uuid));
          expect(await imported.vectors(uuid)).toEqual(await store.vectors(uuid));
          const [file, own] = [await imported.file(uuid), await store.file(uuid)];
          expect(file && Buffer.from(file)).toEqual(own && Buffer.from(own));
        }
      }
    });
  });

  it('replaces what there is only when it is told to', async () => {
    await store.createChatbot(aChatbot(store.owner.user.uuid), []);
    const archive = await archiveOf(store);
    const other = aChatbot('f'.repeat(32));
    await opened((imported) => imported.createChatbot(other, []));
    await expect(importFrom(archive, target!.into)).rejects.toThrow('is not empty; --replace deletes what it holds');
    await opened(async (imported) => expect(await imported.chatbot(other.uuid)).toEqual(other));
    await importFrom(archive, target!.into, true);
    await opened(async (imported) => {
      expect(await imported.chatbot(other.uuid)).toBeUndefined();
      expect(linesOf(await archiveOf(imported))).toEqual(linesOf(archive));
    });
  });

  it('leaves out sign-ins and their links, and ends those of what it replaces', async () => {
    const owner = store.owner.user.uuid;
    const [signIn, link] = [aSignIn(owner), aLink(owner)];
    await store.addSignIn(signIn);
    await store.addLoginLink(link);
    const archive = await archiveOf(store);
    expect(archive.toString()).toContain(owner);
    for (const secret of [signIn.hash, link.hash]) expect(archive.toString()).not.toContain(secret);
    await importFrom(archive, target!.into);
    const { user: _, ...byLink } = aSignIn(owner, { created_at: atMinute(1) });
    const ended = async () =>
      opened(async (imported) => {
        expect(await imported.signIns(owner)).toEqual([]);
        expect(await imported.signInByLink(link.hash, byLink)).toBeUndefined();
        expect(await imported.addSignIn(signIn)).toBe(true);
        expect(await imported.addLoginLink(link)).toBe(true);
      });
    await ended();
    await importFrom(archive, target!.into, true);
    await ended();
  });

  it('changes nothing where it is damaged, while much of it is being stored', async () => {
    const chatbots = await fillWithAll(store);
    const lines = (await archiveOf(store)).toString().split('\n');
    await importFrom(Buffer.from(lines.join('\n')), target!.into);
    const changed = await opened(async (imported) => {
      for (const chatbot of chatbots)
        for (const { uuid } of await imported.sessions(chatbot))
          for (const message of await imported.messages(uuid))
            await imported.saveMessage({ ...message, response: 'Written since.' });
      return linesOf(await archiveOf(imported));
    });
    const sessions = lines.flatMap((line, at) => (line.startsWith('{"session"') ? [at] : []));
    for (const at of sessions.slice(-3)) {
      const damaged = [...lines.slice(0, at), '{"agent":{}}', ...lines.slice(at)].join('\n');
      await expect(importFrom(Buffer.from(damaged), target!.into, true)).rejects.toThrow();
      await opened(async (imported) => expect(linesOf(await archiveOf(imported))).toEqual(changed));
    }
  });

  it('names only what it holds, and no message is newer than its session, while others write', async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
    for (let n = 0; n < 3; n++) {
      const source = aSource(chatbot.uuid);
      await store.createSource(source);
      await store.putDocument(source.uuid, aDocument('x'.repeat(100_000)));
    }
    const sessions = Array.from({ length: 20 }, () => aSession(chatbot.uuid));
    const long = { response: 'x'.repeat(100_000) };
    for (const session of sessions) await store.saveMessage(aMessage(session.uuid, long), session);

    let writes = 0;
    const write = async (): Promise<void> => {
      const site = aSite(chatbot.uuid);
      await store.createSite(site);
      const source = aSource(chatbot.uuid, { site: site.uuid });
      await store.createSource(source);
      for (const one of await store.sources(chatbot.uuid))
        await store.updateSource(one.uuid, (record) => ({ ...record, site: site.uuid }));
      await store.createTag(aTag(chatbot.uuid, { data_source_uuids: [source.uuid] }));
      const modified_at = `2027-01-01T00:00:${String(++writes).padStart(2, '0')}Z`;
      for (const { uuid } of sessions) await store.saveMessage(aMessage(uuid, { modified_at }));
    };
    const pieces: Buffer[] = [];
    await store.snapshot(async (all) => {
      for await (const piece of exportArchive(all, Date.now)) {
        pieces.push(piece);
        await write();
      }
    });
    expect(writes).toBeGreaterThan(20);

    const records = linesOf(Buffer.concat(pieces)).map((line) => JSON.parse(line));
    const ofKind = (kind: string) => records.flatMap((record) => record[kind] ?? []);
    const held = (kind: string) => ofKind(kind).map(({ uuid }) => uuid);
    const pages = ofKind('source').map(({ record }) => record);
    expect(pages.length).toBeGreaterThan(2);
    for (const { site } of pages) expect([undefined, ...held('site')]).toContain(site);
    for (const { data_source_uuids } of [...ofKind('tag'), ...ofKind('agent')])
      for (const uuid of data_source_uuids) expect(pages.map((page) => page.uuid)).toContain(uuid);
    const times = new Map(ofKind('session').map(({ uuid, modified_at }) => [uuid, modified_at]));
    for (const { session, modified_at } of ofKind('message')) expect(modified_at <= times.get(session)).toBe(true);
    await importFrom(Buffer.concat(pieces), target!.into);
    await opened(async (imported) =>
      expect(linesOf(await archiveOf(imported))).toEqual(linesOf(Buffer.concat(pieces))),
    );
  });

  it('is made while others write, and holds what was stored before', async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    const sessions = Array.from({ length: 70 }, () => aSession(chatbot.uuid));
    for (const session of sessions) await store.saveMessage(aMessage(session.uuid), session);
    let isDone = false;
    const writing = (async () => {
      for (const { uuid } of sessions.toReversed()) {
        if (isDone) return;
        await store.saveMessage(aMessage(uuid));
        await store.createSession(aSession(chatbot.uuid));
      }
    })();
    const archive = await archiveOf(store);
    isDone = true;
    await writing;
    await importFrom(archive, target!.into);
    await opened(async (imported) => {
      for (const { uuid } of sessions) {
        const [stored, all] = [await imported.messages(uuid), await store.messages(uuid)];
        expect(stored.length).toBeGreaterThan(0);
        expect(stored).toEqual(all.slice(0, stored.length));
      }
    });
  });
});
