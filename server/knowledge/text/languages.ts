/** Traits of a language that visitors are answered in. */
export interface LanguageTraits {
  /** Its words are not divided by spaces, and are compared in parts: it has neither common words nor a stemmer. */
  unspaced?: true;
  /** Snowball's name of its stemmer; `own` for one in stems.ts. Without one, words are not stemmed. */
  stemmer?: string;
  /** Of one of Latin letters, those beside a to z that its words are written with, as part of a class of letters. */
  letters?: string;
}

/** Every language that the server speaks. Lists by language elsewhere are checked against this one. */
export const LANGUAGES = {
  ar: { stemmer: 'own' },
  bg: {},
  cs: { stemmer: 'czech', letters: 'áäčďéěíĺľňóôŕřšťúůýž' },
  da: { stemmer: 'danish', letters: 'æøåéáäö' },
  de: { stemmer: 'german', letters: 'äöüß' },
  el: { stemmer: 'own' },
  en: { stemmer: 'own', letters: 'éïñç' },
  es: { stemmer: 'spanish', letters: 'áéíñóúü¿¡' },
  fi: { stemmer: 'finnish', letters: 'äöåšž' },
  fr: { stemmer: 'french', letters: 'àâæçéèêëîïôœùûüÿ' },
  he: {},
  hi: { stemmer: 'own' },
  hu: { stemmer: 'hungarian', letters: 'áéíóöőúüű' },
  it: { stemmer: 'italian', letters: 'àèéìíîòóùú' },
  ja: { unspaced: true },
  ko: { unspaced: true },
  nb: { stemmer: 'norwegian', letters: 'æøåéèêóòôäö' },
  nl: { stemmer: 'dutch', letters: 'áéíóúàèëïöüêĳ' },
  pl: { letters: 'ąćęłńóśźż' },
  pt: { stemmer: 'portuguese', letters: 'áâãàçéêíóôõúü' },
  ro: { stemmer: 'romanian', letters: 'ăâîșțşţ' },
  ru: { stemmer: 'russian' },
  sv: { stemmer: 'swedish', letters: 'åäöéàü' },
  th: { unspaced: true },
  tr: { stemmer: 'turkish', letters: 'çğı\u0307öşüâîû' },
  uk: {},
  vi: { letters: 'àáâãèéêìíòóôõùúýăđĩũơưạ-ỹ' },
  zh: { unspaced: true },
} as const satisfies Record<string, LanguageTraits>;

export type LanguageCode = keyof typeof LANGUAGES;
