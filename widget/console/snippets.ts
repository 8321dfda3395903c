import type { WidgetSettings } from './records.ts';

/** What is pasted into a site to show the widget there. server/docs/widget.md has the same, which a test compares. */

/** Names of attributes with their values; '' for one that only has to be there. */
export type Attributes = Record<string, string>;

/** Of the settings that are not empty by default. */
const DEFAULTS: Partial<WidgetSettings> = {
  scheme: 'auto',
  radius: 18,
  density: 'comfortable',
  position: 'end',
  offset: 20,
  z_index: 2_000_000_000,
  icon: 'chat',
  suggestions: 'auto',
  teaser_after: 5,
};

/** The settings that differ from the defaults, as attributes of the tag; without those that no page is told. */
export function attributesOf(settings: WidgetSettings): Attributes {
  const isOfServer = (name: string): boolean => ['words', 'link_hosts', 'allowed_origins'].includes(name);
  const isDefault = ([name, value]: [string, unknown]): boolean =>
    isOfServer(name) ||
    (name in DEFAULTS ? value === DEFAULTS[name as keyof WidgetSettings] : !value || String(value) === '');
  const attribute = ([name, value]: [string, unknown]): [string, string] => [
    `data-${name.replace('_', '-')}`,
    value === true ? '' : asText(name, value),
  ];
  return Object.fromEntries(
    Object.entries(settings)
      .filter((one) => !isDefault(one))
      .map(attribute),
  );
}

const asText = (name: string, value: unknown): string =>
  name === 'suggestions'
    ? (value as string[]).map((one) => one.replaceAll('|', '/')).join('|')
    : name === 'triggers'
      ? JSON.stringify(value)
      : String(value);

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

const html = ([name, value]: [string, string]): string =>
  value ? `${name}="${value.replace(/[&"<>]/g, (one) => ESCAPES[one]!)}"` : name;

/** For JavaScript, and for PHP, which knows no escape for a line's end in such a string and needs none. */
const quote = (value: string, lineEnd = '\\n'): string =>
  `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', lineEnd)}'`;

const tagOf = (server: string, chatbot: string, attributes: Attributes): [string, string][] => [
  ['src', `${server}/embed.js`],
  ['data-chatbot', chatbot],
  ['data-settings', ''],
  ...Object.entries(attributes),
];

/** `server`: its address without a slash at the end. */
export function scriptTag(server: string, chatbot: string, attributes: Attributes = {}): string {
  const all = ['async', ...tagOf(server, chatbot, attributes).map(html)];
  return all.length < 5 ? `<script ${all.join(' ')}></script>` : `<script\n  ${all.join('\n  ')}\n></script>`;
}

/** For a theme of Shopify, whose templates have a meaning for braces. */
const liquid = (tag: string): string => (/\{[{%]/.test(tag) ? `{% raw %}\n${tag}\n{% endraw %}` : tag);

function wordPress(tag: [string, string][]): string {
  const lines = tag.map(([name, value]) => `    ${quote(name)} => ${value ? quote(value, '\n') : 'true'},`);
  return `<?php
/* Plugin Name: Docent */
add_action('wp_footer', function () {
  wp_print_script_tag([
    'async' => true,
${lines.join('\n')}
  ]);
});`;
}

function docusaurus(tag: [string, string][]): string {
  const entries = tag.map(
    ([name, value]) => `${name.includes('-') ? quote(name) : name}: ${value ? quote(value) : 'true'}`,
  );
  return `scripts: [{ async: true, ${entries.join(', ')} }],`;
}

function react(server: string, chatbot: string, attributes: Attributes): string {
  const names = Object.entries(attributes).map(([name, value]): [string, string] => [name.slice(5), value]);
  const all: [string, string][] = [['server', server], ['chatbot', chatbot], ...names];
  const props = all.map(([name, value]) =>
    /[\\"&\n]/.test(value) ? `${name}={${quote(value)}}` : `${name}="${value}"`,
  );
  return `import { defineElement } from 'docent';

void defineElement();

export const Chat = () => <docent-chat ${props.join(' ')} />;`;
}

/** By platform: where the snippet is pasted, and the snippet. */
export function snippetsFor(server: string, chatbot: string, attributes: Attributes): Record<string, [string, string]> {
  const script = scriptTag(server, chatbot, attributes);
  const tag = tagOf(server, chatbot, attributes);
  return {
    'Script tag': ['Into every page, before the end of its body.', script],
    React: [
      'Into the file of your layout, with the package “docent” installed; the guide “Component” has the types.',
      react(server, chatbot, attributes),
    ],
    WordPress: [
      'Into a new file wp-content/mu-plugins/docent.php, from WordPress 5.7 on; or the script tag into the footer box of a plugin for code.',
      wordPress(tag),
    ],
    Shopify: ['Online Store → Themes → … → Edit code: into layout/theme.liquid, before </body>.', liquid(script)],
    Docusaurus: ['Into the configuration in docusaurus.config.js.', docusaurus(tag)],
  };
}
