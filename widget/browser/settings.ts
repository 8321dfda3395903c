import type { ChatbotProfile } from '../../server/types.ts';

/** Settings of the widget; the keys are those that the server stores for the chatbot. */
export interface Settings extends Pick<
  ChatbotProfile,
  | 'scheme'
  | 'density'
  | 'position'
  | 'icon'
  | 'label'
  | 'title'
  | 'avatar'
  | 'greeting'
  | 'suggestions'
  | 'teaser'
  | 'teaser_after'
  | 'triggers'
  | 'open'
  | 'sound'
  | 'disclaimer'
  | 'privacy_url'
  | 'contact'
  | 'consent'
  | 'image_hosts'
  | 'language'
> {
  /** A CSS colour. */
  color: string;
  /** Pixels. */
  radius: number;
  /** Pixels. */
  offset: number;
  /** CSS `z-index`. */
  z_index: number;
  /** Alias of `z_index`. */
  z: number;
}

/** Facts of the page that are sent along with a question. */
export interface Context {
  /** Address or another identifier of the page that the visitor is on; by default its address without query, '' for none. */
  page?: string | undefined;
  /** Identifier of the visitor, as the page knows it. */
  user?: string | undefined;
}

/** A list as JSON; what is none is left out. */
function parseList(written: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(written);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Parsers for attributes whose setting is not a string. */
const PARSERS: Record<string, (written: string) => unknown> = {
  triggers: parseList,
  suggestions: (written) => (written === 'auto' ? undefined : (written.match(/[^|]+/g) ?? [])),
  image_hosts: (written) => written.match(/[^\s,]+/g) ?? [],
  open: (written) => written !== 'false',
  sound: (written) => written !== 'false',
  radius: parseFloat,
  offset: parseFloat,
  z: parseFloat,
  teaser_after: parseFloat,
};

/**
 * Parses attributes into settings by their snake_case names and types. Names may be an attribute's or a dataset's, values strings:
 * `teaser-after` or `teaserAfter`: '9', `suggestions`: 'One?|Two?' (`auto` for those of the server), `triggers`: '[{"exit":true}]', `open`: ''. Values of other types are kept.
 */
export function readSettings(attributes: object = {}): Partial<Settings> {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const key = name
      .replace(/-|(?=[A-Z])/, '_')
      .toLowerCase()
      .replace('z_index', 'z');
    const parse = typeof value === 'string' && Object.hasOwn(PARSERS, key) && PARSERS[key];
    const read: unknown = parse ? parse(value) : value;
    if (read !== undefined) settings[key] = read;
  }
  return settings;
}
