import * as Type from 'typebox';
import type { Static } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import { literals, record, Timestamp } from './fields.ts';
import type { ChatbotProfile, Trigger } from '../types.ts';

/** Settings of a chatbot's widget: what is stored, its limits, and which of them pages receive. */

/** Tags of BCP 47, as the files of widget/words are named. */
export const LANGUAGES = 'ar cs da de el en es fi fr he it ja ko nb nl pl pt ro ru sv tr uk vi zh'.split(' ');

/** The widget's sentences, as widget/words names them. */
export const SENTENCES: readonly string[] =
  `open close closeTeaser title site byAi greeting disclaimer privacy agree contact conversation suggestions answer field send stop anew
  latest loading waiting reconnecting offline stopped length interrupted quota failed network not_found
  retry sources source newTab code table copy copied copyAnswer uncopied helpful unhelpful comment thanks
  unsent unloadable unread yes no decline asked unconfirmed expired conversations back download remove removeAll sure cancel unremoved nearest`.split(
    /\s+/,
  );

const whole = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description });

/** Control characters have no place in what is shown on a line; sentences may run over several. */
const ON_A_LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const ON_LINES = '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$';

const line = (maxLength: number, minLength = 0) =>
  Type.String({
    minLength,
    maxLength,
    pattern: ON_A_LINE,
    description: `a string of ${minLength} to ${maxLength} characters, none of them a control character`,
  });
const lines = (maxLength: number) =>
  Type.String({
    maxLength,
    pattern: ON_LINES,
    description: `a string of at most ${maxLength} characters, of the control characters line feeds alone`,
  });
const address = (form: string, description: string) =>
  Type.String({ maxLength: 2048, pattern: `^(?:${form})$`, description });
const list = (maxItems: number, of: Type.TSchema, description: string) =>
  Type.Unsafe<string[]>(Type.Array(of, { maxItems, description }));

/** Of an e-mail address, what needs no escaping after `mailto:`. */
const EMAIL = '[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,255}';

const IMAGE = '[Hh][Tt][Tt][Pp][Ss]://\\S+';

/** Not a `Type.Record`: see `NewVariables` in fields.ts. */
const WORDS = {
  type: 'object',
  additionalProperties: lines(500),
  propertyNames: {
    type: 'string',
    pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$',
    not: { enum: ['constructor', 'prototype'] },
  },
  maxProperties: 200,
  description:
    'an object of at most 200 sentences of at most 500 characters each, under the plain names of the sentences they ' +
    'stand for (letters, digits, "_"); it is replaced whole',
};

const TRIGGER = Type.Object(
  {
    seconds: Type.Optional(whole(3600, 'Seconds since the page was loaded.')),
    scroll: Type.Optional(whole(100, 'Per cent of the height of the page that have been in view.')),
    exit: Type.Optional(Type.Boolean({ description: 'The mouse has left the page at its top.' })),
    page: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: '^[/*]\\S*$',
        description: 'the path of pages; `*` stands for any characters',
      }),
    ),
    returning: Type.Optional(Type.Boolean({ description: 'The browser of the visitor holds a conversation.' })),
    text: Type.Optional(line(200, 1)),
  },
  { additionalProperties: false, description: 'An object of conditions, and the sentence that is shown.' },
);

/** Always all of them; `WIDGET_DEFAULTS` has what they are until they are set. */
export const WidgetSettings = Type.Object(
  {
    color: Type.String({ pattern: '^(?:#[0-9A-Fa-f]{6})?$', description: "'' or a colour of the form #RRGGBB" }),
    scheme: literals('`auto`: the scheme of the page, else of the system. Default `auto`.', 'auto', 'light', 'dark'),
    radius: whole(32, 'Corner radius in CSS pixels. Default 18.'),
    density: literals('Spacing. Default `comfortable`.', 'comfortable', 'compact'),
    position: literals(
      'Side of the launcher; `end` and `start` follow the writing direction. Default `end`.',
      'end',
      'start',
      'right',
      'left',
    ),
    offset: whole(200, 'Distance of the launcher from the edges of the window, in CSS pixels. Default 20.'),
    z_index: whole(2_147_483_647, 'CSS `z-index` of the widget. Default 2000000000.'),
    icon: address(
      `chat|question|spark|none|${IMAGE}`,
      '"chat", "question", "spark", "none" or the https address of an image',
    ),
    label: line(40),
    title: line(80),
    avatar: address(`(?:${IMAGE})?`, "'' or the https address of an image"),
    greeting: lines(1000),
    suggestions: Type.Unsafe<string[] | 'auto'>({
      anyOf: [
        list(6, line(200, 1), 'a list of at most 6 questions of 1 to 200 characters each'),
        Type.Literal('auto', { description: 'Up to three headings of the sources that are answered surely.' }),
      ],
    }),
    teaser: line(200),
    teaser_after: whole(3600, 'Seconds until the teaser appears. Default 5.'),
    triggers: Type.Unsafe<Trigger[]>(
      Type.Array(TRIGGER, {
        maxItems: 8,
        description:
          'a list of at most 8 triggers: the teaser is shown once all conditions of one of them hold, in place of `teaser_after`',
      }),
    ),
    open: Type.Boolean({
      description: 'Whether the panel is open when the page loads; never on phones. Default false.',
    }),
    sound: Type.Boolean({
      description:
        'Whether a sound is played for an answer that ends while the panel is closed or the tab hidden. Default false.',
    }),
    disclaimer: lines(300),
    privacy_url: address('(?:[Hh][Tt][Tt][Pp][Ss]?://\\S+)?', "'' or an http or https address"),
    contact: address(
      `(?:[Hh][Tt][Tt][Pp][Ss]?://\\S+|${EMAIL})?`,
      "'' or an http or https address, or an e-mail address",
    ),
    consent: lines(500),
    image_hosts: list(
      50,
      Type.String({ minLength: 1, maxLength: 255 }),
      'a list of at most 50 host names, such as cdn.example.com, or *.example.com for all below it',
    ),
    link_hosts: list(
      50,
      Type.String({ minLength: 1, maxLength: 255 }),
      'a list of at most 50 host names that links of a model’s answers may lead to, beside the pages of the passages and the hosts of image_hosts; *.example.com for all below it',
    ),
    allowed_origins: list(
      50,
      Type.String({ minLength: 1, maxLength: 300 }),
      'a list of at most 50 origins, such as https://shop.example, or https://*.shop.example for all below it',
    ),
    language: literals(
      'Language of the widget; empty: that of the page, else of the browser. Default empty.',
      '',
      ...LANGUAGES,
    ),
    words: Type.Unsafe<Record<string, string>>(WORDS),
  },
  { additionalProperties: false },
);
export type WidgetSettings = Static<typeof WidgetSettings>;

/** What the widget looks for in `words`: besides the sentences, one of the owner's own for each way in which an answer fails. */
export const WORD_NAMES: readonly string[] = [...new Set([...SENTENCES, ...ERROR_CODES, 'bad_answer', 'limited'])];

/** What the server looks for in `words`: the replies to small talk. They are not sent to pages. */
export const REPLY_WORDS: readonly string[] =
  'greeting thanks goodbye who robot abilities ready complaint praise name presence contact no_contact person'
    .split(' ')
    .map((name) => `reply_${name}`);

/** As an owner sends them: other names are ignored. */
const { additionalProperties: sentence, ...map } = WORDS;
const NewWords = Type.Unsafe<Record<string, string>>({
  ...map,
  properties: Object.fromEntries([...WORD_NAMES, ...REPLY_WORDS].map((name) => [name, sentence])),
});

export const WidgetChange = Type.Partial(
  Type.Object({ ...WidgetSettings.properties, words: NewWords }, { additionalProperties: false }),
);
export type WidgetChange = Static<typeof WidgetChange>;

/** The sites that pages with the widget were first loaded from. */
export const WidgetSeenOn = record({
  seen_on: Type.Array(
    record({ origin: Type.String({ description: 'Such as https://shop.example.' }), at: Timestamp }),
    { maxItems: 5, description: 'The first five origins, oldest first, each with the time of its first request.' },
  ),
});

export const WIDGET_DEFAULTS: WidgetSettings = {
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

/** The settings that pages receive; the allowed origins are left out. */
export function publicSettings(
  stored: Partial<WidgetSettings> = {},
): Omit<ChatbotProfile, 'uuid' | 'name' | 'show_citations' | 'site' | 'by_ai'> {
  const {
    color,
    radius,
    offset,
    z_index,
    allowed_origins: _,
    link_hosts: __,
    ...shown
  } = { ...WIDGET_DEFAULTS, ...stored };
  const theme: Record<string, string> = {};
  if (color !== '') theme['color'] = color;
  if (radius !== WIDGET_DEFAULTS.radius) theme['radius'] = `${radius}px`;
  if (offset !== WIDGET_DEFAULTS.offset) theme['offset'] = `${offset}px`;
  if (z_index !== WIDGET_DEFAULTS.z_index) theme['z'] = String(z_index);
  if (shown.scheme !== 'auto') theme['scheme'] = shown.scheme;
  const words = Object.fromEntries(Object.entries(shown.words).filter(([name]) => !REPLY_WORDS.includes(name)));
  const suggestions = shown.suggestions === 'auto' ? [] : shown.suggestions;
  return { ...shown, suggestions, words, theme };
}
