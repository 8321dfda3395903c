import type { LanguageCode } from '../../../knowledge/text/languages.ts';

/**
 * How visitors say their name, with commas between. `{name}` is what hardly anything but a name follows; in place of `{Name}`
 * may stand what is said of a name (“my name is wrong”), so that it has a capital where the script has any.
 */
export const INTRODUCTIONS: Record<LanguageCode, string> = {
  en: `my name is {Name}, my name's {Name}, my names {Name}, the name is {Name}, i am called {name}, i'm called {name}, you can call me {Name}, call me {Name}`,
  de: `mein name ist {Name}, mein name lautet {Name}, ich heiße {name}, ich heisse {name}, nenn mich {Name}, nennen sie mich {Name}`,
  nl: `mijn naam is {Name}, m'n naam is {Name}, ik heet {name}, noem me {Name}`,
  es: `mi nombre es {Name}, me llamo {name}, llámame {Name}`,
  fr: `mon nom est {Name}, mon prénom est {Name}, je m'appelle {name}, je me nomme {name}, appelez moi {Name}, appelle moi {Name}`,
  it: `il mio nome è {Name}, mi chiamo {name}, chiamami {Name}`,
  pt: `meu nome é {Name}, o meu nome é {Name}, eu me chamo {name}, me chamo {name}, chamo-me {name}, pode me chamar de {Name}`,
  ro: `numele meu este {Name}, numele meu e {Name}, mă numesc {name}, mă cheamă {name}, ma numesc {name}`,
  sv: `mitt namn är {Name}, jag heter {name}, kalla mig {Name}`,
  da: `mit navn er {Name}, jeg hedder {name}, kald mig {Name}`,
  nb: `navnet mitt er {Name}, mitt navn er {Name}, jeg heter {name}, kall meg {Name}`,
  fi: `nimeni on {Name}, minun nimeni on {Name}, mun nimi on {Name}`,
  pl: `nazywam się {name}, mam na imię {name}, moje imię to {Name}`,
  cs: `jmenuji se {name}, jmenuju se {name}, moje jméno je {Name}`,
  ru: `меня зовут {name}, мое имя {Name}, моё имя {Name}`,
  uk: `мене звати {name}, мене звуть {name}, моє ім'я {Name}`,
  bg: `казвам се {name}, името ми е {Name}, аз се казвам {name}`,
  el: `με λένε {name}, ονομάζομαι {name}, το όνομά μου είναι {Name}, το όνομα μου είναι {Name}`,
  tr: `benim adım {Name}, adım {Name}, ismim {Name}, benim ismim {Name}`,
  hu: `a nevem {Name}, az én nevem {Name}`,
  ar: `اسمي هو {name}, اسمي {name}, أنا اسمي {name}`,
  he: `שמי {name}, השם שלי הוא {name}, השם שלי {name}, קוראים לי {name}`,
  hi: `मेरा नाम {name} है`,
  vi: `tôi tên là {name}, mình tên là {name}, em tên là {name}, tên tôi là {name}, tên mình là {name}`,
  zh: `我叫{name}, 我的名字是{name}, 我的名字叫{name}`,
  ja: `私の名前は{name}です, 名前は{name}です, 私は{name}と申します, {name}と申します, {name}といいます`,
  ko: `제 이름은 {name}입니다, 제 이름은 {name}이에요, 제 이름은 {name}예요, 저는 {name}라고 합니다, 저는 {name}이라고 합니다`,
  th: `ฉันชื่อ{name}, ผมชื่อ{name}, ดิฉันชื่อ{name}, หนูชื่อ{name}`,
};

/** What English says of a name in lower case: “my name is misspelled”. */
const SAID_OF_NAME =
  /^(?:not|on|in|too|the|an?|here|there|wrong|missing|incorrect|correct|right|different|gone|hidden|long|mis\p{L}+|un\p{L}+|\p{L}{3,}(?<!m)ed|\p{L}{3,}ing|\p{L}+[ai]ble)$/u;
/** No spaces between words: a name is a few letters, and what ends a clause follows it. */
const UNSPACED = new Set<string>(['zh', 'ja', 'ko', 'th']);
const UNSPACED_NAME = { zh: '\\p{L}{2,4}', ja: '\\p{L}{1,8}?', ko: '\\p{L}{1,6}?', th: '[\\p{L}\\p{M}]{2,20}' };
const NAME_WORD = String.raw`\p{L}[\p{L}\p{M}'\u2019.-]*`;
/** A question, such as “我叫外卖可以吗”, says no name. */
const ASKING = /[吗嗎呢么麼か]$|[?？]/u;

interface Introduction {
  /** Every message in which `pattern` matches has it. */
  hint: RegExp;
  /** Made at the first hint: in any case, `\p{L}` takes milliseconds to compile. */
  pattern(): RegExp;
  /** The phrase without a name. */
  phrase: string;
  /** Also in lower case. */
  anyCase: boolean;
  language: string;
}

let introductions: Introduction[] | undefined;

const all = (): Introduction[] =>
  (introductions ??= Object.entries(INTRODUCTIONS).flatMap(([language, list]) =>
    list.split(',').map((item) => introductionOf(language, item.trim())),
  ));

function introductionOf(language: string, item: string): Introduction {
  const [lead = '', tail = ''] = item.split(/\{name\}/i).map((part) => part.trim());
  const isUnspaced = UNSPACED.has(language);
  const space = isUnspaced ? String.raw`\s*` : String.raw`[\s-]+`;
  const written = (text: string): string => text.replaceAll("'", "['’]?").split(' ').join(space);
  const name = isUnspaced ? UNSPACED_NAME[language as 'zh'] : `${NAME_WORD}(?:\\s+${NAME_WORD}){0,3}${tail ? '?' : ''}`;
  const end = isUnspaced ? String.raw`(?=[\s\p{P}\p{S}]|$)` : '';
  const source = `(?<![\\p{L}\\p{M}])${written(lead)}${lead ? space : ''}(${name})${tail && space + written(tail)}${end}`;
  let pattern: RegExp | undefined;
  return {
    hint: new RegExp(written(lead || tail), 'iu'),
    pattern: () => (pattern ??= new RegExp(source, 'iu')),
    phrase: `${lead} ${tail}`.trim(),
    anyCase: item.includes('{name}'),
    language,
  };
}

/** The phrases by language, without names. */
export const introducing = (language: LanguageCode): string =>
  all()
    .filter((one) => one.language === language)
    .map(({ phrase }) => phrase)
    .join(',');

/** A message in which the visitor says their name, without it; undefined for any other. */
export function withoutName(message: string): string | undefined {
  for (const { hint, pattern, phrase, anyCase, language } of all()) {
    const match = hint.test(message) ? pattern().exec(message) : undefined;
    if (!match) continue;
    const said = match[1]!;
    const length = nameIn(said, anyCase, language);
    if (length === 0) continue;
    const end = match.index + match[0].length;
    return `${message.slice(0, match.index)} ${phrase} ${said.slice(length)} ${message.slice(end)}`;
  }
  return undefined;
}

/** UTF-16 units of what may be a name at the beginning; 0 for none. */
function nameIn(said: string, anyCase: boolean, language: string): number {
  if (UNSPACED.has(language)) return ASKING.test(said) ? 0 : said.length;
  const named = /^\P{Ll}\S*(?:\s+\P{Ll}\S*)*/u.exec(said)?.[0].length ?? 0;
  if (named > 0) return named;
  const isSingle = !/\s/.test(said);
  return isSingle && (anyCase || (language === 'en' && !SAID_OF_NAME.test(said))) ? said.length : 0;
}
