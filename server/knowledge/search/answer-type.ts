import { OPEN_NOW } from '../text/synonyms.ts';

/** What kind of thing a question asks for, and whether a sentence holds one. Of other languages than English only figures. */

const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|midnight|noon|weekdays?|weekends?';
const UNIT = 'seconds?|minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|years?|decades?|centur(?:y|ies)';
const NUMBER =
  '\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?|half|twice|once';

const duration = new RegExp(
  `\\b(?:${NUMBER}|an?|several|few)[\\s-]+(?:(?:working|business|calendar|full|more|or)[\\s-]+)*(?:${UNIT})\\b|\\b(?:lifelong|lifetime|forever|permanent|immediately|instantly|same[ -]day|overnight)\\b`,
  'i',
);
const time = new RegExp(
  `\\b(?:1\\d{3}|20\\d\\d)s?\\b|\\b(?:${MONTH})\\b|\\b(?:${DAY})\\b|\\b\\d{1,2}(?::\\d\\d|\\s?[ap]\\.?m\\b)|\\bcentury\\b|\\b(?:${NUMBER})[\\s-]+(?:${UNIT})\\b`,
  'i',
);
const number = new RegExp(`\\b(?:${NUMBER})\\b`, 'i');
const money =
  /[$€£¥]\s?\d|\d\s?(?:[$€£¥%]|dollars?|euros?|pounds?|cents?|pence|percent|per cent)|\b(?:free|costs?|at no charge|%)\b|\d[.,]\d\d\b/i;
const reach = /[\w.+-]{1,64}@[\w-]+\.\w|\+?\d[\d ()-]{6,}\d|https?:\/\//i;
/** What stands in capitals after `in` or `from` and is no place. */
const CALENDAR =
  'January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?';
const place = new RegExp(
  `\\b(?:in|at|near|from|outside|inside|between|across)\\s+(?:the\\s+)?(?!(?:${CALENDAR})\\b)\\p{Lu}\\p{Ll}|\\b(?:[Ss]treet|[Rr]oad|[Aa]venue|[Ss]quare|[Ll]ane)\\b`,
  'u',
);
const name = /(?<=[\p{L}\p{N},;:"'’)]\s+["“(]?)\p{Lu}\p{Ll}\p{L}*/u;
const HOUR = '\\d{1,2}(?:[:.]\\d\\d)?\\s?(?:[ap]\\.?m\\.?|uhr|h)?';
const SPELLED_HOUR =
  '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)(?! (?:minutes|hours|days))';
const clock = new RegExp(
  `(?<![\\d.])${HOUR}\\s?(?:to|until|till|and|[-–—])\\s?${HOUR}(?![\\d.]*\\s?(?:${UNIT}))|\\b(?:around the clock|24/7|24 hours)\\b|\\b(?:at|from|until|till)\\s(?:${SPELLED_HOUR})\\b`,
  'i',
);
/** In any writing; Han numerals where they count something. */
const figure = /\p{N}|[〇一二三四五六七八九十百千万两]+(?=[年月日天周个人次元倍分小岁米公])/u;
const reason = /\b(?:because|since|due to|so that|in order to|as a result|therefore|caused|reasons?|thus|owing to)\b/i;

/** Asks when, how many or how much, in the languages that search knows. */
const COUNTING = new RegExp(
  [
    '(?<!\\p{L})(?:wann|wie ?viele?|wie (?:lange?|alt|hoch|groß|weit|oft|teuer)|welche[ms]? jahr|was kostet',
    'cu[aá]nt[oa]s?|cu[aá]ndo|qué (?:año|edad|fecha|hora|porcentaje)|combien|quand|quel(?:le)?s? (?:année|âge|date|heure)',
    'quant[oaie]|quando|che (?:anno|ora|età)|que ano|que horas|hoeveel|wanneer|hoe (?:lang|oud|groot|ver|vaak)|kiedy|^ile',
    'hur (?:många|mycket|länge|gammal)|när|hvor (?:mange|meget|længe)|hvornår|kuinka (?:monta|paljon|kauan)|milloin|mikor|hány|mennyi',
    'c[âa][țt]i|c[âa]te|c[âa]t|c[âa]nd|kaç|ne kadar|ne zaman|hangi yıl|bao nhiêu|khi nào|bao lâu|năm nào',
    'сколько|когда|в каком году|πόσ\\p{L}+|πότε|ποι[αο] (?:έτος|χρονιά))(?!\\p{L})',
    'كم|متى|कितन|कब|กี่|เท่า(?:ไร|ใด)|เมื่อ(?:ใด|ไร|ไหร่)|ปีใด|ปีไหน|多少|几|何时|什么时候|哪[一]?年|多[久长大高远]|いつ|何[年月日人回個歳時]|いくつ|いくら|どのくらい|언제|몇|얼마',
  ].join('|'),
  'iu',
);

const TYPES: [asks: RegExp, holds: RegExp][] = [
  [
    new RegExp(
      `\\bhow (?:long|quick(?:ly)?|soon|fast)\\b|\\bhow (?:many|much) (?:\\w+ )?(?:${UNIT}|time)\\b|\\b(?:deadline|time limit|what period)\\b`,
      'i',
    ),
    duration,
  ],
  [/\bhow (?:much|expensive)\b|\b(?:price|cost|fee|charge)s?\b|\bwhat (?:percent|share)/i, money],
  [
    /\bhow (?:many|old|far|tall|high|big|large|deep|wide|heavy|often|late|early)\b|\bwhat (?:number|percentage|age|size|amount|proportion)\b/i,
    number,
  ],
  [
    /\b(?:opening|business|office|closing) (?:hours|times?)\b|\bwhat (?:hours|time)\b|\b(?:when|until|how late)\b.{0,40}\b(?:open|clos)|\bare you open\b/i,
    clock,
  ],
  [OPEN_NOW, clock],
  [/\bwhen\b|\b(?:what|which) (?:year|month|day|date|time|century|decade|era)\b/i, time],
  [/\b(?:e-?mail|phone|telephone|call you|contact|reach you|get in touch)\b/i, reach],
  [
    /\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|country|state|place|town|region|address|location|street|continent)\b/i,
    place,
  ],
  [
    /\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:person|people|man|woman|king|queen|president|author|company|team|artist|actor)\b/i,
    name,
  ],
  [/\bwhy\b|\bwhat (?:\w+ )?(?:reason|cause)/i, reason],
  [COUNTING, figure],
];

/** UTF-16 units that are read. */
const MAX_TYPED_LENGTH = 400;

/** Tells of a sentence whether it holds what the question asks for; undefined where any sentence may. */
export function answerType(query: string): ((sentence: string) => boolean) | undefined {
  const holds = TYPES.find(([asks]) => asks.test(query.slice(0, MAX_TYPED_LENGTH)))?.[1];
  if (!holds) return undefined;
  // A number or a name that the question itself gives is not its answer.
  const given = (query.slice(0, MAX_TYPED_LENGTH).match(/\d[\d.,]*|\p{Lu}\p{Ll}+/gu) ?? []).slice(0, 16);
  return (sentence) => holds.test(given.reduce((rest, word) => rest.replaceAll(word, 'x'), sentence));
}

/** The noun behind “what” or “which”: the kind of thing that is asked for. */
const KIND_ASKED_FOR =
  /(?<!\p{L})(?:what|which|welche[rsmn]?|qu[eé]|cuál(?:es)?|quel(?:le)?s?|qual[ei]?|quais|welke?|vilke[nt]|hvilke[nt]|jak[ai]e?|как(?:ой|ая|ое|ие))\s+(\p{L}+)/giu;

/** In lower case. */
export const kindsAskedFor = (question: string): ReadonlySet<string> =>
  new Set(Array.from(question.matchAll(KIND_ASKED_FOR), ([, kind = '']) => kind.toLowerCase()));
