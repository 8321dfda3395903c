import { withoutAccents } from '../../../knowledge/text/accents.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';

/** The words for numbers of a language. Unlike names of countries and units, the runtime has none of them. */
export interface NumberWords {
  values: ReadonlyMap<string, number>;
  ordinals: ReadonlyMap<string, number>;
  /** Those which are also articles. */
  articles: ReadonlySet<string>;
}

/** What the words of a language are made from. */
interface Table {
  /** From 0 on. */
  units: string;
  /** From 20, or else from 30 on. */
  tens: string;
  others?: Record<string, number>;
  /** From 1 on; a bar between forms. */
  ordinals: string;
  /** What the forms of an ordinal end in. */
  endings?: string[];
  articles: string;
  /** The word for a number from 21 on, where it is written as one word. */
  joined?: (unit: string, ten: string) => string;
}

const TABLES: Partial<Record<LanguageCode, Table>> = {
  en: {
    units: `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
      eighteen nineteen`,
    tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
    others: { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 },
    ordinals: `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
      fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`,
    articles: 'a an',
  },
  de: {
    units: `null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
      achtzehn neunzehn`,
    tens: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    others: { hundert: 100, tausend: 1e3, million: 1e6, millionen: 1e6, anderthalb: 1.5, eineinhalb: 1.5 },
    ordinals: 'erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft',
    endings: ['e', 'en', 'er', 'es', 'em'],
    articles: 'ein eine einen einem einer eines',
    joined: (unit, ten) => `${unit.replace(/^eins$/, 'ein')}und${ten}`,
  },
  fr: {
    units: 'zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
    tens: 'vingt trente quarante cinquante soixante',
    others: { vingts: 20, septante: 70, nonante: 90, cent: 100, cents: 100, mille: 1e3, million: 1e6, millions: 1e6 },
    ordinals:
      'premier|première deuxième|second|seconde troisième quatrième cinquième sixième septième huitième neuvième dixième',
    articles: 'un une',
  },
  es: {
    units: `cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
      dieciocho diecinueve`,
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    others: {
      veintiún: 21,
      cien: 100,
      ciento: 100,
      doscientos: 200,
      doscientas: 200,
      trescientos: 300,
      quinientos: 500,
      mil: 1e3,
      millón: 1e6,
      millones: 1e6,
    },
    ordinals: 'primer segund tercer cuart quint sext séptim octav noven décim',
    endings: ['', 'o', 'a', 'os', 'as'],
    articles: 'un una',
    joined: (unit, ten) => (ten === 'veinte' ? `veinti${unit}` : ''),
  },
  it: {
    units: `zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
      diciassette diciotto diciannove`,
    tens: 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    others: {
      cento: 100,
      duecento: 200,
      trecento: 300,
      cinquecento: 500,
      mille: 1e3,
      duemila: 2e3,
      milione: 1e6,
      milioni: 1e6,
    },
    ordinals: 'prim second terz quart quint sest settim ottav non decim',
    endings: ['o', 'a', 'i', 'e'],
    articles: 'un uno una',
    joined: (unit, ten) => (/^[ou]/.test(unit) ? ten.slice(0, -1) : ten) + unit,
  },
  nl: {
    units: `nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien
      achttien negentien`,
    tens: 'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    others: { honderd: 100, duizend: 1e3, miljoen: 1e6, anderhalf: 1.5, anderhalve: 1.5 },
    ordinals: 'eerste tweede derde vierde vijfde zesde zevende achtste negende tiende',
    articles: 'een',
    joined: (unit, ten) => `${unit}en${ten}`,
  },
  pt: {
    units: `zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze|quatorze quinze dezasseis|dezesseis
      dezassete|dezessete dezoito dezanove|dezenove`,
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    others: {
      duas: 2,
      cem: 100,
      cento: 100,
      duzentos: 200,
      trezentos: 300,
      quinhentos: 500,
      mil: 1e3,
      milhão: 1e6,
      milhões: 1e6,
    },
    ordinals: 'primeir segund terceir quart quint sext sétim oitav non décim',
    endings: ['o', 'a', 'os', 'as'],
    articles: 'um uma',
  },
};

const made = new Map<LanguageCode, NumberWords>();
const NONE: NumberWords = { values: new Map(), ordinals: new Map(), articles: new Set() };

/** Keys without accents. Empty for a language without a table. */
export function numberWordsOf(language: LanguageCode): NumberWords {
  const table = TABLES[language];
  const known = made.get(language);
  if (known || !table) return known ?? NONE;
  const words = read(table);
  made.set(language, words);
  return words;
}

const wordsOf = (text: string): string[][] => text.split(/\s+/).map((word) => withoutAccents(word).split('|'));

function read({ units, tens, others = {}, ordinals, endings = [''], articles, joined }: Table): NumberWords {
  const values = new Map<string, number>();
  for (const [value, words] of wordsOf(units).entries()) for (const word of words) values.set(word, value);
  const digits = [...values].filter(([, value]) => value > 0 && value < 10);
  for (const [at, [ten = '']] of wordsOf(tens).entries()) {
    values.set(ten, 20 + 10 * at);
    for (const [unit, value] of joined ? digits : []) values.set(joined!(unit, ten), 20 + 10 * at + value);
  }
  for (const [word, value] of Object.entries(others)) values.set(withoutAccents(word), value);
  values.delete('');
  return {
    values,
    ordinals: new Map(
      wordsOf(ordinals).flatMap((forms, at) =>
        forms.flatMap((form) => endings.map((ending) => [form + ending, at + 1] as const)),
      ),
    ),
    articles: new Set(wordsOf(articles).flat()),
  };
}

/** Whether a number is written so, articles aside. */
export const isNumberWord = (word: string, language: LanguageCode): boolean =>
  numberWordsOf(language).values.has(withoutAccents(word));
