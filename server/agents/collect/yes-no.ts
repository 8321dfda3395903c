/** Whether a reply to a question is a yes or a no, in the languages that the server speaks. */

const YES = `yes yeah yep sure okay ok certainly absolutely correct ja jawohl klar gerne gern sicher natürlich stimmt sí si claro vale
  oui ouais d’accord volontiers certo sì sim jazeker graag japp gärna jo gjerne kyllä joo toki tak jasne oczywiście ano jasně
  igen persze da desigur sigur evet tabii да конечно так звісно ναι βεβαίως نعم أجل כן בטח हाँ हां जी có vâng dạ`;
const NO = `no nope never nein nö nee neen non não nao nej nei ei nie ne nem nu hayır нет ні не όχι لا كلا לא नहीं không`;
/** They put no space after the word. A no before the yes that it begins with. */
const UNSPACED_NO = /^(?:いいえ|いや|ううん|아니|아뇨|ไม่(?:ใช่)?|不是?|没有|沒有|否)/u;
const UNSPACED_YES = /^(?:はい|ええ|うん|네|예|응|ใช่|ครับ|ค่ะ|是|对|對|好|当然|當然)/u;
/** What only looks like a no. */
const POLITE =
  /(?<!\p{L})(?:no\s+(?:problem|worries|doubt|idea|matter)|not\s+a\s+problem|why\s+not|warum\s+nicht|pourquoi\s+pas|perché\s+no|por\s+qué\s+no|nessun\s+problema|kein\s+(?:problem|thema)|pas\s+de\s+(?:problème|souci)|sin\s+problema|geen\s+probleem)(?!\p{L})/giu;
/** That something is certain, be it a yes or, with a no after it, a no. */
const CERTAIN =
  /^(?:of course|absolutely|certainly|definitely|sure|sicher|natürlich|selbstverständlich|klar|bien sûr|certainement|por supuesto|claro|desde luego|certo|certamente|zeker|natuurlijk|jasne|oczywiście|конечно)(?!\p{L})(?:\s+(?:que|che))?\s*/iu;
/** After a yes or a no; another of them is not taken for a reply to the same question after other words. */
const JOINED =
  /^[^\p{L}]*(?:(?:but|and|or|aber|und|oder|doch|et|mais|ou|pero|y|o|ma|e|en|maar|och|men|og|a|ale|i|и|но|або)\s+)?/iu;
const NEGATIONS = `not nicht pas niet ikke inte не`;

const wordsIn = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));
const [yesWords, noWords, negations] = [wordsIn(YES), wordsIn(NO), wordsIn(NEGATIONS)];

/** What comes before a value that takes the place of one said before. */
const CORRECTION =
  /(?<!\p{L})(?:sorry|i mean|i meant|actually|rather|wait|correction|entschuldigung|ich meine|sondern|vielmehr|moment|perdón|quiero decir|mejor dicho|pardon|je veux dire|plutôt|en fait|scusa|scusi|anzi|volevo dire|desculpe|quero dizer|aliás|ik bedoel|förlåt|jag menar|undskyld|jeg mener|beklager|anteeksi|przepraszam|to znaczy|promiňte|vlastně|bocsánat|scuze|yani|извините|вернее|точнее|вибачте|точніше|извинете|συγγνώμη|عفوا|סליחה|माफ़|xin lỗi)(?!\p{L})|抱歉|不对|不對|应该是|應該是|すみません|ではなく|じゃなくて|죄송|ขอโทษ/iu;

/**
 * True or false where the reply begins with a yes or a no, or with one after a correction; undefined where it has neither,
 * or both ("yes and no").
 */
export function yesOrNo(reply: string): boolean | undefined {
  return reply
    .split(CORRECTION)
    .map(saidFirst)
    .findLast((said) => said !== undefined);
}

/** Words that a message has beside its yes or no at most: "yes please do", "nein danke". */
const MAX_WORDS = 4;

/** Whether a message is a yes or a no and hardly more, and asks nothing. */
export const isYesOrNoAlone = (message: string): boolean =>
  !/[?？؟]/.test(message) &&
  (message.match(/[\p{L}\p{M}\p{N}’']+/gu)?.length ?? 0) <= MAX_WORDS &&
  yesOrNo(message) !== undefined;

function saidFirst(part: string): boolean | undefined {
  const text = part
    .toLowerCase()
    .replace(POLITE, ' ')
    .replace(/^[^\p{L}]+/u, '');
  const certain = CERTAIN.exec(text)?.[0];
  if (certain !== undefined && isNo(text.slice(certain.length))) return false;
  const first = beginning(text);
  if (!first) return undefined;
  const rest = text.slice(first.length).replace(JOINED, '');
  const isTakenBack = first.said ? isNo(rest) : beginning(rest)?.said === true;
  return isTakenBack ? undefined : first.said;
}

const firstWord = (text: string): string => /^[\p{L}\p{M}’']+/u.exec(text)?.[0] ?? '';

/** The yes or no that a text begins with, and its length. */
function beginning(text: string): { said: boolean; length: number } | undefined {
  const no = UNSPACED_NO.exec(text)?.[0];
  if (no !== undefined) return { said: false, length: no.length };
  const yes = UNSPACED_YES.exec(text)?.[0];
  if (yes !== undefined) return { said: true, length: yes.length };
  const written = firstWord(text);
  const word = written.replace("'", '’');
  if (yesWords.has(word)) return { said: true, length: written.length };
  return noWords.has(word) ? { said: false, length: written.length } : undefined;
}

const isNo = (text: string): boolean => negations.has(firstWord(text)) || beginning(text)?.said === false;

/** A no that a value follows after a comma takes back the value before it. */
const startsWithNo = (text: string): boolean => saidFirst(text) === false;

/** Whether what stands between two values says that the second one counts. */
export const corrects = (between: string): boolean =>
  CORRECTION.test(between) || between.split(/[,;.!?–—-]+/u).some((part) => startsWithNo(part));
