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

const LISTS: Record<string, RegExp> = { suggestions: /\s*\|\s*/, image_hosts: /[\s,]+/ };

function readValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const between = LISTS[name];
  if (between) return value.split(between).filter(Boolean);
  return name === 'open' ? value !== 'false' : value;
}

/** Settings as they were written: `data-teaser-after="9"`, `data-suggestions="One?|Two?"`, `data-open`; or as `mount()` takes them. */
export function readSettings(written: object = {}): Partial<Settings> {
  const name = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [name(key), readValue(name(key), value)]));
}
