import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Store, StoredSite, StoredSource } from '../../../server/store/store.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { aChatbot, aDocument, aSite, aSource } from '../records.ts';

/** lowdb: the pages of a site are files of their own, so that its deletion may be cut off between two of them. */

let dir: string;
let store: Store;
let site: StoredSite;
let pages: StoredSource[];
let added: StoredSource;
const disk = faultyDisk();

const open = async () => void (store = await openLowdbStore({ dir, clock: Date.now, disk }));
const sourceFiles = async () => {
  const entries = await readdir(join(dir, 'sources'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name.slice(0, 32));
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
  await open();
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  site = aSite(chatbot.uuid);
  await store.createSite(site);
  const page = (path: string, own: 0 | 1) =>
    aSource(chatbot.uuid, { site: site.uuid, own, identity: `https://shop.example/${path}` });
  pages = ['a', 'b', 'c'].map((path) => page(path, 0));
  added = page('d', 1);
  for (const one of [...pages, added]) {
    await store.createSource(one);
    await store.putDocument(one.uuid, aDocument(`of ${one.identity}`));
  }
});
afterEach(async () => {
  disk.heal();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

it('hides what of a deleted site the disk does not let go, and the next start removes it', async () => {
  disk.failing('unlink', 'EPERM');
  await expect(store.deleteSite(site.uuid)).rejects.toThrow('EPERM');
  const hidden = async () => {
    expect([await store.site(site.uuid), await store.sites(site.chatbot)]).toEqual([undefined, []]);
    expect((await store.sources(site.chatbot)).map(({ uuid }) => uuid)).toEqual([added.uuid]);
    expect(await store.sourceCount(site.chatbot)).toBe(1);
    expect(await store.unfinishedSources()).toHaveLength(1);
    for (const { uuid } of pages) {
      expect([await store.source(uuid), await store.document(uuid)]).toEqual([undefined, undefined]);
      expect(await store.putDocument(uuid, aDocument('late'))).toBe(false);
      expect(await store.updateSource(uuid, (one) => one)).toBeUndefined();
    }
  };
  await hidden();
  expect(new Set(await sourceFiles())).toEqual(new Set([...pages, added].map(({ uuid }) => uuid)));

  await store.close();
  await open();
  await hidden();

  disk.heal();
  await store.close();
  await open();
  await hidden();
  await expect.poll(sourceFiles).toEqual([added.uuid, added.uuid]);
  expect(await store.source(added.uuid)).toMatchObject({ site: '' });
  const again = { ...pages[0]!, site: '' };
  expect(await store.createSource(again)).toEqual({ existing: undefined });
});

it('leaves the site with its pages where the disk takes no more', async () => {
  disk.failing('rename', 'ENOSPC');
  await expect(store.deleteSite(site.uuid)).rejects.toThrow();
  disk.heal();
  expect(await store.sites(site.chatbot)).toEqual([site]);
  expect(await store.sources(site.chatbot)).toEqual([...pages, added]);
  expect(await store.deleteSite(site.uuid)).toHaveLength(pages.length);
});
