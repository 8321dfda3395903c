import type { ChatbotFace } from '../../server/types.ts';

/** What an owner may decide of the widget; the keys are those that the server keeps for the chatbot. */
export interface Settings extends Pick<
  ChatbotFace,
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
  | 'open'
  | 'disclaimer'
  | 'privacy_url'
  | 'consent'
  | 'image_hosts'
  | 'language'
> {
  /** A colour as CSS writes it. */
  color: string;
  /** Pixels. */
  radius: number;
  /** Pixels. */
  offset: number;
  /** What it lies above. */
  z_index: number;
  /** The same as `z_index`. */
  z: number;
}

/** What the page knows and the visitor need not say. */
export interface Context {
  /** The page that the visitor is on: its address, or whatever tells it from others. */
  page?: string | undefined;
  /** Who is asking, as the page knows it. */
  user?: string | undefined;
}

/** How the text of an attribute is read, for a setting that is no text. */
const PARSERS: Record<string, (written: string) => unknown> = {
  suggestions: (written) => written.match(/[^|]+/g) ?? [],
  image_hosts: (written) => written.match(/[^\s,]+/g) ?? [],
  open: (written) => written !== 'false',
  radius: parseFloat,
  offset: parseFloat,
  z: parseFloat,
  teaser_after: parseFloat,
};

/**
 * Settings by their names and types. Written in a tag they are text, and named as attributes or a dataset have them:
 * `teaser-after` or `teaserAfter`: '9', `suggestions`: 'One?|Two?', `open`: ''.
 */
export function readSettings(attributes: object = {}): Partial<Settings> {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const key = name
      .replace(/-|(?=[A-Z])/, '_')
      .toLowerCase()
      .replace('z_index', 'z');
    settings[key] = typeof value === 'string' ? (PARSERS[key]?.(value) ?? value) : value;
  }
  return settings;
}
