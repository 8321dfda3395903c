// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { WIDGET_DEFAULTS, type WidgetSettings } from '../../server/schema/widget-settings.ts';
import { attributesOf, scriptTag, snippetsFor } from '../../widget/console/snippets.ts';
import { readSettings } from '../../widget/browser/settings.ts';
import { blocksOf, textOf } from './texts.ts';

/** The snippets of the console are those of the guide, and mean the settings that they are made from. */

const SERVER = 'https://chat.example.com';
const LANGUAGES = { 'Script tag': 'html', React: 'jsx', WordPress: 'php', Shopify: 'html', Docusaurus: 'js' };

const snippets = snippetsFor(SERVER, 'CHATBOT_UUID', {});

test.each(Object.entries(LANGUAGES))('the guide has the snippet for %s', (platform, language) => {
  expect(blocksOf(textOf('widget'), language).map((block) => block.trim())).toContain(snippets[platform]![1]);
  if (platform !== 'Script tag') expect(textOf('widget')).toMatch(new RegExp(`^- ${platform}: `, 'm'));
});

test('has a platform for each that the guide names', () => {
  expect(Object.keys(snippets)).toEqual(Object.keys(LANGUAGES));
});

test('the defaults are no attributes, and what no page is told is none', () => {
  expect(attributesOf(WIDGET_DEFAULTS)).toEqual({});
  const own = { words: { send: 'Go' }, link_hosts: ['a.example'], allowed_origins: ['https://shop.example'] };
  expect(attributesOf({ ...WIDGET_DEFAULTS, ...own })).toEqual({});
});

const CHANGED: WidgetSettings = {
  ...WIDGET_DEFAULTS,
  color: '#0f766e',
  scheme: 'dark',
  radius: 0,
  density: 'compact',
  position: 'left',
  offset: 0,
  z_index: 7,
  icon: 'none',
  label: `Ask "us" & 'them' \\ <b>`,
  title: '{{ 7 * 7 }}',
  avatar: 'https://shop.example/a.png',
  greeting: 'One\nTwo',
  suggestions: ['Is it open?', 'Where?'],
  teaser: 'Hello',
  teaser_after: 0,
  triggers: [{ page: '/shop/*', exit: true }],
  open: true,
  sound: true,
  disclaimer: 'Note',
  privacy_url: 'https://shop.example/privacy?a=1&b=2',
  contact: 'help@shop.example',
  consent: 'Agree',
  image_hosts: ['cdn.example', '*.pictures.example'],
  language: 'de',
};

test('the tag’s attributes are read as the settings that they stand for', () => {
  const tag = scriptTag(SERVER, 'CHATBOT_UUID', attributesOf(CHANGED));
  const page = document.createElement('template');
  page.innerHTML = tag;
  const script = page.content.querySelector('script')!;
  const names = script.getAttributeNames().filter((name) => name.startsWith('data-'));
  const { chatbot, settings, ...attributes } = Object.fromEntries(
    names.map((name) => [name.slice(5), script.getAttribute(name)!]),
  );
  expect([script.async, script.src, chatbot, settings]).toEqual([true, `${SERVER}/embed.js`, 'CHATBOT_UUID', '']);
  const { words: _words, link_hosts: _links, allowed_origins: _origins, z_index, ...told } = CHANGED;
  expect(readSettings(attributes)).toEqual({ ...told, z: z_index });
});

test('an empty list of suggestions stays one', () => {
  expect(attributesOf({ ...WIDGET_DEFAULTS, suggestions: [] })).toEqual({ 'data-suggestions': '' });
});

test('JavaScript and Liquid take what a setting holds as text', () => {
  const made = snippetsFor(SERVER, 'CHATBOT_UUID', attributesOf(CHANGED));
  const [entry] = new Function(`return {${made['Docusaurus']![1]}}`)().scripts;
  expect(entry).toMatchObject({
    async: true,
    src: `${SERVER}/embed.js`,
    'data-settings': true,
    'data-label': CHANGED.label,
    'data-greeting': CHANGED.greeting,
    'data-open': true,
  });
  expect(made['Shopify']![1]).toMatch(/^\{% raw %\}\n<script[^]*<\/script>\n\{% endraw %\}$/);
  expect(made['React']![1]).toContain(`label={'Ask "us" & \\'them\\' \\\\ <b>'}`);
  expect(made['React']![1]).toContain(`greeting={'One\\nTwo'}`);
  expect(made['WordPress']![1]).toContain(`'data-label' => 'Ask "us" & \\'them\\' \\\\ <b>',`);
  expect(made['WordPress']![1]).toContain(`'data-greeting' => 'One\nTwo',`);
});
