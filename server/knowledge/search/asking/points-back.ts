import { detectLanguage } from '../../text/detect-language.ts';
import type { LanguageCode } from '../../text/languages.ts';
import { calendarOf } from '../../text/locale/locale.ts';

/** How a language points at what was said before. */
interface Pointers {
  /** Words that stand for it. */
  words: string;
  /** Turns of phrase in which such a word stands for nothing. */
  empty?: string;
  /** Words that stand for it except before a time: "this Sunday". */
  beforeTime?: { words: string; times: string };
  /** Forms that point back and are no such words. */
  forms?: string;
}

const POINTERS: Partial<Record<LanguageCode, Pointers>> = {
  en: {
    words: 'it its that those these this they them their theirs one ones he she him her his',
    empty: [
      String.raw`(?:(?:is|was|isn['\u2019]t|wouldn['\u2019]t|would|will) it|it(?:['\u2019]s| is| was| would))(?: (?:be|not|still|also|even|really))* (?:possible|impossible|allowed|permitted|ok|okay|fine|all ?right|necessary|required|mandatory|compulsory|true|legal|advisable|customary|common|usual|normal|better|best|enough|correct|too (?:late|early))(?= (?:to|that|if|when|for .*to|i|you|we|my) )`,
      String.raw`(?:does|do|did|will|would|can) it (?:\p{L}+ )?(?:take|cost)(?=.* to \p{L}+ \p{L})`,
      String.raw`it (?:takes?|costs?|took)(?=.* to \p{L}+ \p{L})`,
      'what (?:time|day) is it',
      String.raw`(?<= (?:for|in|than|only|just|least|have|about) )one(?= (?!with|that|from|who|and)\p{L}{3,} )`,
      String.raw`(?<! (?:is|was|does|did|do|can|will|would|could|should|are|if|about|like|for|of|with|than|at|to|in|on) )that(?= (?:the|an?|you|i|we|he|she|they|my|your|our|there|all|every|no|some|it) )`,
      String.raw`(?:(?:an?|any|the|some) \p{L}+|something|anything|someone|anyone) that(?= \p{L})`,
    ].join('|'),
    beforeTime: {
      words: 'this|these',
      times:
        'week|weekend|month|year|quarter|morning|afternoon|evening|season|spring|summer|autumn|fall|winter|easter|christmas|website|site|page|chat',
    },
  },
  de: {
    words: `das es er sie ihn ihm ihnen dies dieser dieses diesen diese dafür davon damit dabei daran dazu`,
    empty: [
      `gibt['’]?(?: es|s)|es gibt|(?:geht|handelt|regnet|schneit) es|es (?:geht um|handelt sich)`,
      String.raw`(?:(?:ist|wäre|war) es|es (?:ist|wäre|war))(?: (?:auch|nicht|noch|denn|eigentlich))* (?:möglich|erlaubt|gestattet|nötig|notwendig|erforderlich|okay|ok|in ordnung|wahr|üblich|pflicht|schlimm|egal|sinnvoll|besser)`,
      String.raw`(?:dauert|kostet|braucht) es(?=.* (?:bis|zu|wenn|um) )`,
    ].join('|'),
    beforeTime: {
      words: 'diese[nmrs]?',
      times:
        'woche|wochenende|monat|jahr|quartal|mal|morgen|vormittag|nachmittag|abend|saison|frühling|frühjahr|sommer|herbst|winter|ostern|weihnachten|website|webseite|seite',
    },
  },
  fr: {
    words: 'ça cela ceci celui celle ceux celles il elle ils elles leur leurs lui eux',
    empty: [
      String.raw`(?:(?:est|était|serait|sera) il|il (?:n['\u2019])?(?:est|était|serait|sera))(?: (?:pas|aussi|encore|toujours|donc))* (?:possible|permis|autorisé|interdit|nécessaire|obligatoire|indispensable|conseillé|préférable|vrai|utile|normal)(?= (?:de|d|que|qu|pour) )`,
      "y a t il|il n?[’']?y a|(?:faut|suffit|pleut) il|il (?:ne )?(?:faut|suffit|pleut)|s[’' ]?agit il|il s[’' ]?agit|heure est il|s[’' ]?il (?:vous|te) pla[iî]t",
    ].join('|'),
    // "je peux le rendre": an article has no infinitive behind it here.
    forms: String.raw`(?:puis je|peux|peut|peut on|pouvons|pouvez|pouvez vous|peuvent|dois|doit|doit on|vais) (?:me |nous )?(?:le|la|les|l) \p{L}+(?:er|ir|re|oir)(?!\p{L})`,
  },
  es: {
    words: 'eso esto ello esa ese esas esos ellos ellas él',
    forms: String.raw`(?!charlas? )\p{L}{2,}(?:ar|er|ir)(?:me|nos)?l[oa]s?(?!\p{L})|(?:lo|la|los|las) (?:tienen?|tengo|puedo|puede[ns]?|podemos|hay|venden?|hacen?|envían?|aceptan?)(?!\p{L})`,
  },
  it: {
    words: 'questo questa questi queste quello quella quelli quelle ciò esso essa essi esse',
    beforeTime: {
      words: 'quest[oaie]',
      times:
        'settimana|weekend|mese|anno|mattina|pomeriggio|sera|notte|stagione|primavera|estate|autunno|inverno|pasqua|natale|volta|sito|pagina',
    },
    forms: String.raw`\p{L}{2,}(?:ar|er|ir)(?:me|ce)?(?:lo|la|li|le)(?!\p{L})|farl[oaie](?!\p{L})|(?:lo|la|li) (?:avete|posso|può|possiamo|vendete|fate|spedite|accettate)(?!\p{L})`,
  },
  pt: {
    words: 'isso isto aquilo disso nisso ele ela eles elas dele dela deles delas',
    forms: String.raw`\p{L}+[áêíô] l[oa]s?(?!\p{L})`,
  },
  nl: {
    words: 'dat dit deze ze zij hem ervoor ervan daarvoor daarvan daarbij ermee daarmee',
    empty: 'dat(?= (?:je|jij|u|jullie|ik|we|wij|de|het|een|er|mijn|uw|men) )',
    beforeTime: {
      words: 'deze|dit|dat',
      times:
        'week|weekend|weekeinde|maand|jaar|kwartaal|morgen|ochtend|middag|avond|seizoen|lente|voorjaar|zomer|herfst|najaar|winter|pasen|kerst|keer|website|site|pagina',
    },
  },
  sv: { words: 'dess deras dessa denna detta dem dom' },
  da: { words: 'dens dets deres disse denne dette dem' },
  nb: { words: 'deres disse denne dette dem' },
  pl: {
    words: 'to tego temu tym go je nim nią nich ich jego jej on ona ono oni one',
    empty: 'co to (?:jest|są|znaczy)|to prawda',
    beforeTime: {
      words: 'tym|tego|to',
      times: 'tygodniu|tygodnia|miesiącu|miesiąca|roku|sezonie|weekendu?|lata|lato|zimy',
    },
  },
  tr: {
    words: 'bunu bunun buna onu onun ona bu bunlar onlar',
    beforeTime: {
      words: 'bu',
      times: 'hafta|hafta sonu|ay|yıl|sene|sabah|akşam|gece|gün|yaz|kış|bahar|sezon|site|sayfa',
    },
  },
  ru: {
    words: 'это этого этому этим его её их он она оно они ним ней них',
    empty: 'это правда|что это',
    beforeTime: { words: 'это', times: 'лето|утро|время' },
  },
};
/** Articles of some languages, which stand for something at the end of a clause and before these words. */
const ARTICLES =
  /(?<![\p{L}\p{M}])(?:die|der|den|dem|het|det)(?=\s*(?:[.,;!?…]|$)|\s+(?:auch|noch|schon|denn|dann|eigentlich|nicht|ook|nog|wel|niet|även|också|ikke|inte|også)(?!\p{L}))/iu;
const ARTICLE_LANGUAGES: ReadonlySet<string | undefined> = new Set(['de', 'nl', 'sv', 'da', 'nb']);
const MAX_POINTER_CHARS = 600;

interface Reader {
  words: ReadonlySet<string>;
  empty: RegExp | undefined;
  forms: RegExp | undefined;
}

let readers: ReadonlyMap<string, Reader> | undefined;

const allReaders = (): ReadonlyMap<string, Reader> =>
  (readers ??= new Map(
    Object.entries(POINTERS).map(([language, pointers]) => [language, readerOf(language as LanguageCode, pointers)]),
  ));

function readerOf(language: LanguageCode, { words, empty, beforeTime, forms }: Pointers): Reader {
  const timed = beforeTime && `(?:${beforeTime.words}) (?=(?:${beforeTime.times}|${daysAndMonths(language)}) )`;
  const patterns = [empty, timed].filter((one) => one !== undefined);
  return {
    words: new Set(words.split(' ')),
    empty: patterns.length > 0 ? new RegExp(`(?<= )(?:${patterns.join('|')})(?= |(?<= ))`, 'gu') : undefined,
    forms: forms === undefined ? undefined : new RegExp(`(?<= )(?:${forms})`, 'u'),
  };
}

function daysAndMonths(language: LanguageCode): string {
  const { weekdays, months } = calendarOf(language);
  return [...weekdays.long, ...months.long].map((name) => name.toLowerCase()).join('|');
}

/** German "Sie" and "Ihnen" for who is asked: in capitals, or after a verb in the plural where nothing has capitals. */
function withoutPolite(text: string): string {
  const hasCapitals = /(?<=\S\s+)\p{Lu}/u.test(text);
  return hasCapitals
    ? text.replace(/(?<=\S\s+)(?:Sie|Ihnen)(?!\p{L})|^\s*Sie(?=\s+\p{L}+(?:en|sind)(?!\p{L}))/gu, ' ')
    : text.replace(
        /(?<!\p{L})(\p{L}+(?:en|ern|eln)|sind)\s+sie(?!\p{L})|(?<!\p{L})(bei|von|mit|zu)\s+ihnen(?!\p{L})/giu,
        '$1$2 ',
      );
}

/** German "das" before a noun. */
const withoutArticle = (text: string): string => text.replace(/(?<!\p{L})[Dd]as\s+(?=\p{Lu})/gu, ' ');

/**
 * Whether a message has a word that stands for what was said before it, in 13 languages: "how much is it?", but not "is it
 * possible to pay by card?", "this Sunday" or a polite "Sie". `rest`: the words of the message without such turns of phrase.
 */
export function readPointers(message: string): { pointsBack: boolean; rest: string } {
  const language = detectLanguage(message);
  let text = message.slice(0, MAX_POINTER_CHARS);
  if (language === 'de') text = withoutArticle(withoutPolite(text));
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}'’]+/gu, ' ')
    .trim();
  const padded = ` ${plain} `.replace(/(?<=[ldnsqu])['’]/gu, ' ');
  // Of a few words that may be of any language, all are asked.
  const all = allReaders();
  const asked = language ? [all.get(language)].filter((one) => one !== undefined) : [...all.values()];
  const rest = asked.reduce((left, { empty }) => (empty ? left.replace(empty, ' ') : left), padded);
  const said = rest.split(' ');
  const hasWord = asked.some(({ words, forms }) => said.some((word) => words.has(word)) || forms?.test(rest));
  const hasArticle = ARTICLE_LANGUAGES.has(language) && ARTICLES.test(text);
  return { pointsBack: hasWord || hasArticle, rest };
}
