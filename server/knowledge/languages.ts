/** What is known of a language that visitors are answered in. */
interface Traits {
  /** Its words are not divided by spaces, and are compared in parts: it has neither common words nor a stemmer. */
  unspaced?: true;
  /** Snowball's name of its stemmer; `own` for one in stems.ts. Words of a language without one stand for themselves. */
  stemmer?: string;
}

/** Every language that the server speaks. Lists by language elsewhere are checked against this one. */
export const LANGUAGES = {
  ar: { stemmer: 'own' },
  bg: {},
  cs: { stemmer: 'czech' },
  da: { stemmer: 'danish' },
  de: { stemmer: 'german' },
  el: { stemmer: 'own' },
  en: { stemmer: 'own' },
  es: { stemmer: 'spanish' },
  fi: { stemmer: 'finnish' },
  fr: { stemmer: 'french' },
  he: {},
  hi: { stemmer: 'own' },
  hu: { stemmer: 'hungarian' },
  it: { stemmer: 'italian' },
  ja: { unspaced: true },
  ko: { unspaced: true },
  nb: { stemmer: 'norwegian' },
  nl: { stemmer: 'dutch' },
  pl: {},
  pt: { stemmer: 'portuguese' },
  ro: { stemmer: 'romanian' },
  ru: { stemmer: 'russian' },
  sv: { stemmer: 'swedish' },
  th: { unspaced: true },
  tr: { stemmer: 'turkish' },
  uk: {},
  vi: {},
  zh: { unspaced: true },
} as const satisfies Record<string, Traits>;

export type Spoken = keyof typeof LANGUAGES;
