import { differing } from '../../parts/use-changes.ts';
import type { WidgetSettings } from '../../records.ts';
import { linesOf } from '../../words.ts';

/** The settings of a widget as a form has them: their labels, and how each is written into a control and read from it. */

export interface Setting {
  name: keyof WidgetSettings | 'icon_image' | 'suggestions_from';
  label: string;
  hint?: string;
  type?: 'text' | 'url' | 'number' | 'color' | 'checkbox';
  /** Lines of a text area; a line of text without. */
  rows?: number;
  /** Of a choice: its words, by value. */
  choices?: Record<string, string>;
}

const languages = new Intl.DisplayNames('en', { type: 'language' });
const LANGUAGES = 'ar cs da de el en es fi fr he it ja ko nb nl pl pt ro ru sv tr uk vi zh'.split(' ');

export const GROUPS: Record<string, Setting[]> = {
  Look: [
    { name: 'color', label: 'Colour', type: 'color' },
    {
      name: 'scheme',
      label: 'Light or dark',
      choices: { auto: 'As the page, else the system', light: 'Light', dark: 'Dark' },
    },
    { name: 'title', label: 'Title', hint: 'Empty: the name of the chatbot.' },
    { name: 'label', label: 'Text on the button' },
    {
      name: 'icon',
      label: 'Icon on the button',
      choices: {
        chat: 'Speech bubble',
        question: 'Question mark',
        spark: 'Spark',
        image: 'An image',
        none: 'No button',
      },
    },
    {
      name: 'icon_image',
      label: 'Address of the icon’s image',
      type: 'url',
      hint: 'Where the icon is an image: https.',
    },
    { name: 'avatar', label: 'Address of an avatar', type: 'url', hint: 'An image: https.' },
    {
      name: 'position',
      label: 'Corner',
      choices: { end: 'Where lines end', start: 'Where lines begin', right: 'Right', left: 'Left' },
    },
    { name: 'offset', label: 'Distance from the edges', type: 'number', hint: 'Pixels, 0 to 200.' },
    { name: 'radius', label: 'Corner radius', type: 'number', hint: 'Pixels, 0 to 32.' },
    { name: 'density', label: 'Density', choices: { comfortable: 'Comfortable', compact: 'Compact' } },
    { name: 'z_index', label: 'Stacking order', type: 'number', hint: 'CSS z-index.' },
  ],
  'First screen': [
    { name: 'greeting', label: 'Greeting', rows: 3 },
    {
      name: 'suggestions_from',
      label: 'Suggested questions',
      choices: { auto: 'Headings of the sources', own: 'Those below' },
    },
    {
      name: 'suggestions',
      label: 'Questions of your own',
      rows: 3,
      hint: 'One a line, up to 6; none for no suggestions.',
    },
    { name: 'teaser', label: 'Teaser beside the button' },
    { name: 'teaser_after', label: 'Teaser after', type: 'number', hint: 'Seconds.' },
    {
      name: 'triggers',
      label: 'Triggers of the teaser',
      rows: 3,
      hint: 'JSON, such as [{"page": "/checkout*", "exit": true}]; they replace the seconds.',
    },
    { name: 'open', label: 'Open with the page, except on phones', type: 'checkbox' },
    { name: 'sound', label: 'Play a sound for an answer that is not seen', type: 'checkbox' },
  ],
  Words: [
    {
      name: 'language',
      label: 'Language',
      choices: {
        '': 'That of the page, else of the browser',
        ...Object.fromEntries(LANGUAGES.map((tag) => [tag, languages.of(tag)!])),
      },
    },
    {
      name: 'words',
      label: 'Sentences of your own',
      rows: 4,
      hint: 'One a line, such as “field: Ask us anything” or “reply_thanks: You are welcome!”; \\n breaks a line.',
    },
    { name: 'contact', label: 'Contact', hint: 'Address of a page or e-mail, for whom the chat could not answer.' },
  ],
  Consent: [
    { name: 'consent', label: 'Text to accept before the first message', rows: 3 },
    { name: 'disclaimer', label: 'Note on the first screen', rows: 2, hint: 'Empty: the default note.' },
    { name: 'privacy_url', label: 'Address of your privacy policy', type: 'url' },
  ],
  'Where it may run': [
    {
      name: 'allowed_origins',
      label: 'Sites that may show it',
      rows: 3,
      hint: 'One a line, such as https://shop.example or https://*.shop.example; empty for all.',
    },
    {
      name: 'image_hosts',
      label: 'Hosts whose images answers may show',
      rows: 2,
      hint: 'One a line, such as cdn.example.com.',
    },
    {
      name: 'link_hosts',
      label: 'Further hosts that a model’s links may lead to',
      rows: 2,
      hint: 'One a line; those of the sources may anyway.',
    },
  ],
};

/** Of the launcher, where none is set. */
const DEFAULT_COLOR = '#4048c9';

/** What stands in the controls, by their names. */
export function written(settings: WidgetSettings): Record<string, string> {
  const { color, icon, suggestions, triggers, words, image_hosts, link_hosts, allowed_origins, ...plain } = settings;
  const isImage = icon.includes(':');
  const lines = Object.entries({ image_hosts, link_hosts, allowed_origins }).map(([name, list]) => [
    name,
    list.join('\n'),
  ]);
  return {
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(lines),
    color: color || DEFAULT_COLOR,
    icon: isImage ? 'image' : icon,
    icon_image: isImage ? icon : '',
    suggestions_from: suggestions === 'auto' ? 'auto' : 'own',
    suggestions: suggestions === 'auto' ? '' : suggestions.join('\n'),
    triggers: triggers.length > 0 ? JSON.stringify(triggers, null, 1) : '',
    words: Object.entries(words)
      .map(([name, text]) => `${name}: ${text.replaceAll('\n', '\\n')}`)
      .join('\n'),
  };
}

/** The other way round; what is no JSON or no number stays text, which the server refuses. */
export function readSettings(data: FormData): WidgetSettings {
  const text = (name: string): string => String(data.get(name) ?? '');
  const number = (name: string): number => (text(name).trim() ? Number(text(name)) : (text(name) as never));
  const color = text('color');
  return {
    ...(Object.fromEntries(
      ['scheme', 'title', 'label', 'avatar', 'position', 'density', 'teaser', 'language', 'contact', 'privacy_url'].map(
        (name) => [name, text(name)],
      ),
    ) as unknown as WidgetSettings),
    ...Object.fromEntries(['greeting', 'disclaimer', 'consent'].map((name) => [name, text(name).replaceAll('\r', '')])),
    ...Object.fromEntries(['offset', 'radius', 'z_index', 'teaser_after'].map((name) => [name, number(name)])),
    ...Object.fromEntries(['image_hosts', 'link_hosts', 'allowed_origins'].map((name) => [name, linesOf(text(name))])),
    color: color === DEFAULT_COLOR ? '' : color,
    icon: (text('icon') === 'image' ? text('icon_image') : text('icon')) as WidgetSettings['icon'],
    suggestions: text('suggestions_from') === 'auto' ? 'auto' : linesOf(text('suggestions')),
    triggers: parsed(text('triggers')) as WidgetSettings['triggers'],
    words: Object.fromEntries(linesOf(text('words')).map(wordOf)),
    open: data.has('open'),
    sound: data.has('sound'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() || '[]');
  } catch {
    return text;
  }
}

function wordOf(line: string): [string, string] {
  const [, name = line, text = ''] = /^(.*?)\s*:\s*(.*)$/.exec(line) ?? [];
  return [name, text.replaceAll('\\n', '\n')];
}

/** The settings that the form has changed: what it cannot show as it is stored, such as spaces around a line, is no change. */
export function changesOf(draft: WidgetSettings, saved: WidgetSettings): Partial<WidgetSettings> {
  const data = new FormData();
  for (const [name, value] of Object.entries(written(saved))) if (value !== 'false') data.set(name, value);
  const before = readSettings(data);
  return differing({ ...draft }, { ...before });
}

/** The contrast of a colour with white, from 1 to 21, by WCAG. */
export function contrastWithWhite(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05);
}
