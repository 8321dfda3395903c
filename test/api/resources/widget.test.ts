import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES, SENTENCES } from '../../../server/schema/widget-settings.ts';
import { words as german } from '../../../widget/words/de.ts';
import { start, type Running } from '../../running.ts';

const DEFAULTS = {
  color: '',
  scheme: 'auto',
  radius: 18,
  density: 'comfortable',
  position: 'end',
  offset: 20,
  z_index: 2_000_000_000,
  icon: 'chat',
  label: '',
  title: '',
  avatar: '',
  greeting: '',
  suggestions: 'auto',
  teaser: '',
  teaser_after: 5,
  triggers: [],
  open: false,
  sound: false,
  disclaimer: '',
  privacy_url: '',
  contact: '',
  consent: '',
  image_hosts: [],
  link_hosts: [],
  allowed_origins: [],
  language: '',
  words: {},
};

/** Every key, at what it may be at most or in a form that is not the one it is kept in. */
const FULL = {
  color: '#A1B2C3',
  scheme: 'dark',
  radius: 0,
  density: 'compact',
  position: 'left',
  offset: 200,
  z_index: 2_147_483_647,
  icon: 'HTTPS://CDN.Shop.Example/icön.png',
  label: 'x'.repeat(40),
  title: '😀'.repeat(80),
  avatar: 'https://cdn.shop.example:443/a.png',
  greeting: 'Good day!\nWhat is it?',
  suggestions: Array.from({ length: 6 }, (_, i) => `${i}`.padEnd(200, '?')),
  teaser: 'Need a hand?',
  teaser_after: 3600,
  triggers: [{ seconds: 3600, scroll: 100, exit: true, page: '/shop/*', returning: true, text: 'Hello?' }, {}],
  open: true,
  sound: true,
  disclaimer: 'Answers may be wrong.',
  privacy_url: 'http://shop.example/privacy#chat',
  contact: 'HTTPS://Shop.example/help',
  consent: 'I agree.',
  link_hosts: ['Blog.Shop.Example', '*.Docs.example'],
  image_hosts: ['CDN.Shop.Example', '*.Shop.example', 'bücher.example', 'cdn.shop.example'],
  allowed_origins: [
    'HTTPS://Shop.Example:443/',
    'http://shop.example:80',
    'https://*.Shop.example',
    'https://shop.example',
    'http://localhost:5173',
    'http://[::1]:3000',
    'null',
  ],
  language: 'ar',
  words: { send: 'Off you go', field: '' },
};

const KEPT = {
  ...FULL,
  color: '#a1b2c3',
  icon: 'https://cdn.shop.example/ic%C3%B6n.png',
  avatar: 'https://cdn.shop.example/a.png',
  contact: 'https://shop.example/help',
  link_hosts: ['blog.shop.example', '*.docs.example'],
  image_hosts: ['cdn.shop.example', '*.shop.example', 'xn--bcher-kva.example'],
  allowed_origins: [
    'https://shop.example',
    'http://shop.example',
    'https://*.shop.example',
    'http://localhost:5173',
    'http://[::1]:3000',
    'null',
  ],
};

let docent: Running;
let chatbot: string;
let path: string;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());
beforeEach(async () => {
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' })).body.uuid;
  path = `/chatbot/${chatbot}/widget`;
});

const settings = async () => (await docent.api('GET', path)).body;
const face = async () => (await fetch(`${docent.base}/chat/${chatbot}`)).json();

describe('the settings of a widget', () => {
  it('are all there from the start', async () => {
    expect(await settings()).toEqual(DEFAULTS);
  });

  it('are kept in one form, whatever form they are sent in', async () => {
    const { status, body } = await docent.api('POST', path, FULL);
    expect([status, body]).toEqual([200, KEPT]);
    expect(await settings()).toEqual(KEPT);
    expect((await docent.api('POST', path, body)).body).toEqual(KEPT);
  });

  it('change by what is sent and keep the rest; lists and words are replaced whole', async () => {
    await docent.api('POST', path, { color: '#ffffff', suggestions: ['a', 'b'], words: { send: 'Go', stop: 'Ho' } });
    const changed = { ...DEFAULTS, color: '#ffffff', suggestions: ['c'], words: { stop: 'Halt' }, open: true };
    const sent = { suggestions: ['c'], words: { stop: 'Halt' }, open: true, unheard_of: 1 };
    expect((await docent.api('POST', path, sent)).body).toEqual(changed);
    expect(await settings()).toEqual(changed);
  });

  it('name the words that the widget has no use for, and keep none of them', async () => {
    const words = { send: 'Go', unloadable: 'Away.', rate_limited: 'Slowly.' };
    const sent = { words: { nope: 'x', ...words }, colour: '#fff' };
    const { status, body, headers } = await docent.api('POST', path, sent);
    expect([status, headers.get('x-unknown-fields')]).toEqual([200, 'words.nope, colour']);
    expect(body.words).toEqual(words);
    expect((await settings()).words).toEqual(words);
    // A translation holds each of the widget's words, in whichever file the English ones are.
    expect(SENTENCES.toSorted()).toEqual(Object.keys(german).toSorted());
  });

  it('lose nothing to changes at the same moment', async () => {
    const all = Object.entries(KEPT).map(([key, value]) => docent.api('POST', path, { [key]: value }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(await settings()).toEqual(KEPT);
  });

  it('are no part of the chatbot’s record, and survive its changes', async () => {
    const before = (await docent.api('GET', `/chatbot/${chatbot}`)).body;
    await docent.api('POST', path, FULL);
    expect((await docent.api('GET', `/chatbot/${chatbot}`)).body).toEqual(before);
    expect((await docent.api('POST', `/chatbot/${chatbot}/update`, { name: 'New' })).body).not.toHaveProperty('widget');
    expect(await settings()).toEqual(KEPT);
  });

  it('say in a sentence what is wanted', async () => {
    const said = async (body: object) => (await docent.api('POST', path, body)).body.error;
    expect(await said({ radius: 33 })).toBe('radius must be a whole number from 0 to 32');
    expect(await said({ suggestions: Array(7).fill('a') })).toBe(
      'suggestions must be a list of at most 6 questions of 1 to 200 characters each or "auto"',
    );
    expect(await said({ avatar: 'http://shop.example/a.png' })).toBe(
      "avatar must be '' or the https address of an image",
    );
    expect(await said({ allowed_origins: ['https://shop.example/page'] })).toMatch(
      /^allowed_origins must be origins without a path, such as https:\/\/shop\.example/,
    );
  });

  it('take every language that the widget has words for, and no other', async () => {
    const spoken = readdirSync('widget/words').flatMap((file) => /^([a-z]{2,3}(?:-\w+)?)\.ts$/.exec(file)?.[1] ?? []);
    expect(spoken.toSorted()).toEqual(LANGUAGES);
    for (const language of spoken)
      expect((await docent.api('POST', path, { language })).body).toMatchObject({ language });
  });

  it('are there after a restart', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-'));
    const first = await start({ DATA_DIR });
    const { uuid } = (await first.api('POST', '/chatbot/create', { name: 'Shop' })).body;
    await first.api('POST', `/chatbot/${uuid}/widget`, FULL);
    await first.stop();
    const second = await start({ DATA_DIR });
    expect((await second.api('GET', `/chatbot/${uuid}/widget`)).body).toEqual(KEPT);
    await second.stop();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
});

describe('pages', () => {
  it('learn the settings, but not where the chatbot may be asked from', async () => {
    await docent.api('POST', path, { ...FULL, allowed_origins: [] });
    const { color: _, radius: _r, offset: _o, z_index: _z, allowed_origins: _a, link_hosts: _l, ...shown } = KEPT;
    expect(await face()).toEqual({
      uuid: chatbot,
      name: 'Shop',
      show_citations: false,
      site: '',
      by_ai: false,
      ...shown,
      theme: { color: '#a1b2c3', radius: '0px', offset: '200px', z: '2147483647', scheme: 'dark' },
    });
  });

  it('are told of no theme where its values are the widget’s own', async () => {
    await docent.api('POST', path, FULL);
    await docent.api('POST', path, DEFAULTS);
    expect(await face()).toMatchObject({ theme: {}, title: '', suggestions: [] });
  });
});
