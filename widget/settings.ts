import type { ChatbotFace } from '../server/types.ts';

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
  /** What it lies above, as z-index. */
  z: number;
}

/** What the page knows and the visitor need not say. */
export interface Context {
  /** The page that the visitor is on: its address, or whatever tells it from others. */
  page?: string | undefined;
  /** Who is asking, as the page knows it. */
  user?: string | undefined;
}

/** What a page writes in the tag. */
export interface Written extends Partial<Settings> {
  server?: string;
  chatbot?: string;
  inline?: string;
}

/** How a setting is read that is no text. */
const READ: Record<string, (written: string) => unknown> = {
  suggestions: (written) => written.match(/[^|]+/g) ?? [],
  image_hosts: (written) => written.match(/[^\s,]+/g) ?? [],
  open: (written) => written !== 'false',
};

/** Settings from attributes: `teaser-after="9"`, `suggestions="One?|Two?"`, `open`; each may begin with `data-`. */
export function readSettings(attributes: Iterable<{ name: string; value: string }>): Written {
  const settings: Record<string, unknown> = {};
  for (const { name, value } of attributes) {
    const key = name.replace('data-', '').replace('-', '_');
    settings[key] = READ[key]?.(value) ?? value;
  }
  return settings;
}
