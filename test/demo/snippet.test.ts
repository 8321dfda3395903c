import { parseDocument, DomUtils } from 'htmlparser2';
import { expect, test } from 'vitest';
import { readHosts } from '../../demo/hosts.ts';
import { pages } from '../../demo/pages.ts';
import { snippet, storeRequest } from '../../demo/snippet.ts';
import { LANGUAGES, WIDGET_DEFAULTS } from '../../server/schema/widget-settings.ts';

const form = DomUtils.getElementsByTagName('form', parseDocument(pages['playground.html'] ?? ''));
const controls = DomUtils.find(({ type }) => type === 'tag', form, true, Infinity).filter(
  (one) => 'attribs' in one && one.attribs['name'],
) as import('domhandler').Element[];
const control = (name: string) => controls.find(({ attribs }) => attribs['name'] === name);
const options = (name: string) => DomUtils.getElementsByTagName('option', control(name) ?? []);

test('the tag of a default widget has only async, src and data-chatbot', () => {
  const tag = '<script async src="https://chat.example/embed.js" data-chatbot="c0ffee"></script>';
  expect(snippet('https://chat.example', 'c0ffee', {})).toBe(tag);
});

test.each([`"><img src=x onerror=alert(1)>`, `</script><b>`, `&quot;`, `two\nlines`, `it's "so" <&>`])(
  'an HTML parser reads %j from the tag',
  (text) => {
    const page = parseDocument(`<p>${snippet('https://chat.example', 'c', { greeting: text, open: '' })}</p>`);
    const [script, ...others] = DomUtils.findAll(({ name }) => name !== 'p', [page]);
    expect(others).toEqual([]);
    expect(script?.attribs).toMatchObject({ 'data-greeting': text, 'data-open': '', 'data-chatbot': 'c' });
  },
);

test('the playground has a control for each setting that a tag has, with the widget’s default', () => {
  const {
    allowed_origins: _,
    words: __,
    triggers: ___,
    z_index,
    image_hosts,
    link_hosts,
    color,
    ...settings
  } = WIDGET_DEFAULTS;
  expect([color, image_hosts, link_hosts]).toEqual(['', [], []]);
  const written = { z: z_index, color: '#4048c9', image_hosts: '', link_hosts: '', suggestions: '' };
  for (const [key, value] of Object.entries({ ...settings, ...written })) {
    const name = key.replaceAll('_', '-');
    const selected = options(name).find(({ attribs }) => 'selected' in attribs)?.attribs['value'];
    const { checked, type, value: text = '' } = control(name)?.attribs ?? {};
    expect(control(name), name).toBeDefined();
    expect(selected ?? (type === 'checkbox' ? checked !== undefined : text), name).toEqual(
      typeof value === 'boolean' ? value : String(value),
    );
  }
  expect(controls.filter(({ attribs }) => attribs['name'] === 'suggestions')).toHaveLength(6);
});

test('the playground offers every language of the widget', () => {
  expect(options('language').map(({ attribs }) => attribs['value'])).toEqual(['', ...LANGUAGES]);
});

test.each([
  ['', []],
  ['Docs.Example.com, *.example.org docs.example.com', ['docs.example.com', '*.example.org']],
  ['bücher.example', ['xn--bcher-kva.example']],
  ['https://docs.example.com', undefined],
  ['docs.example.com/a', undefined],
  ['docs.example.com:8080', undefined],
  ['*', undefined],
  ["it's.example", undefined],
  ['a.example '.repeat(51), undefined],
])('reads the hosts in %j as the API does', (text, hosts) => {
  expect(readHosts(text)).toEqual(hosts);
});

test('the request for the hosts of links is one for a shell', () => {
  expect(storeRequest('https://chat.example', 'c0ffee', { link_hosts: ['a.example'] })).toBe(
    `curl https://chat.example/api/v1/chatbot/c0ffee/widget \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"link_hosts":["a.example"]}'`,
  );
});
