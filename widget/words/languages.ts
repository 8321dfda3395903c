import type { Words } from './en.ts';

/** Language, direction and texts of the panel. */
export interface Locale {
  lang: string;
  dir: 'ltr' | 'rtl';
  /** Tags of the owner's, the page's and the browser's languages, by commas, some empty. */
  tags?: string;
  /** Replace the English texts; absent for English. */
  words?: Partial<Words>;
}

/** Each language is a chunk of its own, loaded on demand; English is part of the panel. */
const loaders: Record<string, () => Promise<{ words: Words }>> = {
  ar: () => import('./ar.ts'),
  cs: () => import('./cs.ts'),
  da: () => import('./da.ts'),
  de: () => import('./de.ts'),
  el: () => import('./el.ts'),
  es: () => import('./es.ts'),
  fi: () => import('./fi.ts'),
  fr: () => import('./fr.ts'),
  he: () => import('./he.ts'),
  it: () => import('./it.ts'),
  ja: () => import('./ja.ts'),
  ko: () => import('./ko.ts'),
  nb: () => import('./nb.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  pt: () => import('./pt.ts'),
  ro: () => import('./ro.ts'),
  ru: () => import('./ru.ts'),
  sv: () => import('./sv.ts'),
  tr: () => import('./tr.ts'),
  uk: () => import('./uk.ts'),
  vi: () => import('./vi.ts'),
  zh: () => import('./zh.ts'),
};

/** What pages write for languages that have another code, too. */
const ALIASES: Record<string, string> = { no: 'nb', nn: 'nb', iw: 'he' };

/** Loads the first of the languages (`de,pt-BR`) that the widget has, else English. */
export async function loadLocale(tags: string): Promise<Locale> {
  const codes = tags
    .split(',')
    .map((tag) => tag.toLowerCase().split('-')[0]!)
    .map((code) => ALIASES[code] ?? code);
  const lang = codes.find((code) => code === 'en' || Object.hasOwn(loaders, code)) ?? 'en';
  const dir = lang === 'ar' || lang === 'he' ? 'rtl' : 'ltr';
  return { lang, dir, words: { ...(await loaders[lang]?.())?.words } };
}
