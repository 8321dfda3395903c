import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { loadShown, withSettings } from '../../widget/console/profile.ts';
import { API_KEY, start, type Running } from '../running.ts';

/** What the console tells the widget in its preview is what the door tells pages. */

let docent: Running;
beforeAll(async () => {
  docent = await start();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) =>
    path.startsWith('/')
      ? fetch(docent.base + path, { ...init, headers: { Authorization: `Bearer ${API_KEY}` } })
      : fetch(path, init),
  );
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await docent.stop();
});

const SETTINGS = {
  color: '#0f766e',
  scheme: 'dark',
  radius: 4,
  offset: 0,
  z_index: 7,
  label: 'Ask us',
  suggestions: ['Where is it?'],
  words: { send: 'Go', reply_thanks: 'Ours, not the page’s' },
  allowed_origins: ['https://shop.example'],
  link_hosts: ['shop.example'],
};

it.each([
  ['defaults', {}],
  ['settings', SETTINGS],
])('is the profile with %s', async (_, settings) => {
  const made = { name: 'Lamps', visibility: 'public', show_citations: true };
  const { uuid } = (await docent.api('POST', '/chatbot/create', made)).body;
  await docent.api('POST', `/chatbot/${uuid}/widget`, settings);
  const told = await fetch(`${docent.base}/chat/${uuid}`, { headers: { Origin: 'https://shop.example' } });
  expect((await loadShown(uuid)).profile).toEqual(await told.json());
});

it('is there for a private chatbot, and with settings that are not saved', async () => {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Hidden' })).body;
  const { profile, settings } = await loadShown(uuid);
  expect(profile).toMatchObject({ uuid, name: 'Hidden', suggestions: [], theme: {} });
  const changed = withSettings(profile, { ...settings, color: '#123456', title: 'New' });
  expect(changed).toMatchObject({ title: 'New', theme: { color: '#123456' } });
});
