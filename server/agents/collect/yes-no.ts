/** Whether a reply to a question is a yes or a no, in the languages that the server speaks. */

const YES = `yes yeah yep sure okay ok certainly absolutely correct ja jawohl klar gerne gern sicher natürlich stimmt sí si claro vale
  oui ouais d’accord volontiers certo sì sim jazeker graag japp gärna jo gjerne kyllä joo toki tak jasne oczywiście ano jasně
  igen persze da desigur sigur evet tabii да конечно так звісно ναι βεβαίως نعم أجل כן בטח हाँ हां जी có vâng dạ`;
const NO = `no nope never nein nö nee neen non não nao nej nei ei nie ne nem nu hayır нет ні не όχι لا كلا לא नहीं không`;
/** They put no space after the word. A no before the yes that it begins with. */
const UNSPACED_NO = /^(?:いいえ|いや|ううん|아니|아뇨|ไม่|不|没有|沒有|否)/u;
const UNSPACED_YES = /^(?:はい|ええ|うん|네|예|응|ใช่|ครับ|ค่ะ|是|对|對|好|当然|當然)/u;
/** What only looks like a no. */
const POLITE = /^no\s+(?:problem|worries|doubt)\b/iu;

const wordsIn = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));
const [yesWords, noWords] = [wordsIn(YES), wordsIn(NO)];

/** What comes before a value that takes the place of one said before. */
export const CORRECTION =
  /(?<!\p{L})(?:sorry|i mean|i meant|actually|rather|wait|correction|entschuldigung|ich meine|sondern|vielmehr|moment|perdón|quiero decir|mejor dicho|pardon|je veux dire|plutôt|en fait|scusa|scusi|anzi|volevo dire|desculpe|quero dizer|aliás|ik bedoel|förlåt|jag menar|undskyld|jeg mener|beklager|anteeksi|przepraszam|to znaczy|promiňte|vlastně|bocsánat|scuze|yani|извините|вернее|точнее|вибачте|точніше|извинете|συγγνώμη|عفوا|סליחה|माफ़|xin lỗi)(?!\p{L})|抱歉|不对|不對|应该是|應該是|すみません|ではなく|じゃなくて|죄송|ขอโทษ/iu;

/** True or false where the reply begins with a yes or a no, or with one after a correction; else undefined. */
export function yesOrNo(reply: string): boolean | undefined {
  return reply
    .split(CORRECTION)
    .map(saidFirst)
    .findLast((said) => said !== undefined);
}

function saidFirst(part: string): boolean | undefined {
  const text = part.toLowerCase().replace(/^[^\p{L}]+/u, '');
  if (POLITE.test(text)) return undefined;
  if (UNSPACED_NO.test(text)) return false;
  if (UNSPACED_YES.test(text)) return true;
  const word = /^[\p{L}\p{M}’']+/u.exec(text)?.[0].replace("'", '’') ?? '';
  if (yesWords.has(word)) return true;
  return noWords.has(word) ? false : undefined;
}

/** A no that a value follows after a comma takes back the value before it. */
const startsWithNo = (text: string): boolean => saidFirst(text) === false;

/** Whether what stands between two values says that the second one counts. */
export const corrects = (between: string): boolean =>
  CORRECTION.test(between) || between.split(/[,;.!?–—-]+/u).some((part) => startsWithNo(part));
