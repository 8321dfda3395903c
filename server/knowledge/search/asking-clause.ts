import { isCommon } from '../text/synonyms.ts';
import { isStopWord, languageOf, scriptOf } from '../text/language.ts';
import { sentencesOf } from '../text/sentences.ts';
import { eachWord, rootOf } from '../text/tokenizer.ts';

/** The part of a message that asks, and the rest: greetings, a story, thanks, which need no passage. */
interface SplitMessage {
  /** The sentences that ask, in their order; the whole message where nothing tells them from the rest. */
  question: string;
  /** The others; empty where the message is one sentence. */
  rest: string;
}

/** UTF-16 units from which on a line may have been wrapped by a program; shorter ones end a paragraph. */
const MIN_WRAPPED_LINE = 50;
const MARK = /[?？؟]|\p{Script=Greek}[\p{M}\s]*[;\u037e]/u;
/** `;` is Greek for a question mark, and Chinese puts no space behind a sentence. */
const UNSPACED_END =
  /(?<=\p{Script=Greek}[;\u037e])\s|(?<=[?!](?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]))/u;

/**
 * What a question or a request begins with where it goes without a mark: words of a closed class, without those that are
 * another word in another language, or begin a farewell (have a nice day, mit freundlichen Grüßen).
 */
const OPENING_WORDS = `what which who whom whose when where why how is are was were do does did can could should will would may must   tell show explain describe list
  was wer wen wem wessen welche welcher welches wann wo woher wohin womit wofür warum wieso weshalb wie wieviel kann kannst können
  könnt könnten könntest könntet darf dürfen gibt ist sind hat habt muss müssen wird nehmt nehmen bietet erklär erkläre sagen
  qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo puedo puede pueden podemos podría podrían hay dime
  dígame explica explique
  quoi qui quel quelle quels quelles quand où comment pourquoi combien est-ce puis-je peut-on pouvez-vous peux-tu dites-moi
  expliquez y-a-t-il
  che chi quale quali quando quanto quanta quanti quante dove perché posso può possono potete potrei spiega dimmi
  quem qual quais onde como porque posso pode podem poderia há explique diga
  wie wat welke wanneer waar waarom hoe hoeveel kan kunnen mag vertel
  co kto kiedy gdzie jak jaki jaka jakie ile czy dlaczego mogę można
  vad vem vilken vilket vilka när var varför hur kan får hvad hvem hvilken hvilket hvornår hvor hvorfor hvordan må
  mitä mikä kuka milloin missä miten miksi voiko voinko kuinka ki mikor hol hogyan miért mennyi hány lehet
  cine când unde cum cât câte pot poate
  что кто какой какая какие когда где куда как почему зачем сколько можно можете могу скажите
  τι ποιος ποια ποιο πότε πού πώς γιατί πόσο μπορώ μπορείτε
  ما ماذا متى أين كيف لماذا كم هل क्या कौन कब कहाँ कैसे क्यों कितना कितने`;
const openers = new Set(OPENING_WORDS.split(/\s+/));
/** Languages whose questions carry their sign within or at the end. */
const SIGNS =
  /吗|什么|怎么|哪|多少|几|为什么|如何|谁|ですか|ますか|でしょうか|か。?$|何|どこ|いつ|なぜ|까요?|습니까|무엇|어디|언제|얼마|어떻게|ไหม|หรือไม่|อะไร|อย่างไร|ยังไง|เท่าไร|เท่าไหร่|เมื่อไร|ที่ไหน|ทำไม|(?<!\p{L})m[ıiuü](?:yım|yız|sınız|dır)?(?!\p{L})|क्या|कब|कहाँ|कैसे/u;
const WISH =
  /^(?:(?:please|kindly|and|so|but|now)\s+)*(?:i (?:want|need|would like|['’]?d like|wish) to (?:know|ask|find out|learn)|i(?: am|['’]m) (?:wondering|looking for)|i wonder|let me know|give me|please)\b|^(?:ich (?:möchte|würde gerne?|will) (?:wissen|fragen)|quisiera saber|me gustaría saber|je (?:voudrais|souhaite) savoir|vorrei sapere|gostaria de saber)/iu;
/** Questions of politeness, which no page answers. */
const SMALL_TALK =
  /^\P{L}*(?:how are you(?: doing)?(?: today)?|how(?:['’]s| is) it going|(?:can|could|would|will) (?:you|someone|anyone|anybody)(?: please| kindly)? (?:help|assist)(?: (?:me|us))?(?: out)?(?: please| with (?:this|something))?|(?:may|can|could) i ask (?:you )?(?:a|one|something|a quick) ?(?:question|thing)?|wie geht es (?:ihnen|dir|euch)|(?:können sie|kannst du) mir (?:bitte )?helfen|(?:cómo|qué tal) está[ns]?|(?:me )?pued(?:e|en|es) ayudar(?:me)?|comment allez[- ]vous|pouvez-vous m['’]aider)\P{L}*$/iu;
/** What may stand between a greeting or a story and the question in one sentence. */
const CLAUSE_END = /(?<=[,:–—])\s+/u;
const MIN_WORDS = 3;
/** Beginnings of a clause before the question: a greeting, or a statement about the writer. */
const ASIDE =
  /^\P{L}*(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day)|thanks|thank you|sorry|excuse me|i|i['’]m|i['’]ve|we|we['’]ve|my|our|hallo|guten|liebe[sr]?|sehr geehrte[sr]?|moin|servus|danke|entschuldigung|ich|wir|mein\p{L}{0,2}|hola|buen[oa]s|estimad[oa]s?|gracias|bonjour|bonsoir|salut|merci|cher|chère|je|j['’]\p{L}+|nous|ciao|buongiorno|buonasera|salve|gentile|grazie|olá|bom dia|boa (?:tarde|noite)|obrigad[oa]|goede\p{L}+|beste|dank|ik|wij)(?!\p{L})/iu;

/**
 * Tells the sentences that ask from the rest: those with a question mark, else those that begin as questions and requests
 * do, else the one that `worth` finds to hold most of what pages speak of.
 */
export function splitQuestion(message: string, worth: (sentence: string) => number): SplitMessage {
  const sentences = sentencesIn(message);
  const isMarked = sentences.map((sentence) => MARK.test(sentence) && !SMALL_TALK.test(sentence));
  const isAsking = isMarked.includes(true) ? isMarked : sentences.map((one) => asks(one) && !SMALL_TALK.test(one));
  if (sentences.length > 1 && !isAsking.includes(true)) {
    const values = sentences.map(worth);
    const best = Math.max(...values);
    if (best > 0) isAsking[values.indexOf(best)] = true;
  }
  const asking: string[] = [];
  const rest: string[] = [];
  for (const [at, sentence] of sentences.entries()) {
    if (!isAsking[at]) rest.push(sentence);
    else {
      const from = asideIn(sentence);
      if (from > 0) rest.push(sentence.slice(0, from));
      asking.push(sentence.slice(from));
    }
  }
  return asking.length === 0 ? { question: message, rest: '' } : { question: asking.join(' '), rest: rest.join('\n') };
}

function sentencesIn(message: string): string[] {
  return paragraphsOf(message).flatMap((text) =>
    sentencesOf(text).flatMap(({ start, end }) => text.slice(start, end).split(UNSPACED_END)),
  );
}

/** Joins lines that were wrapped by a mail program; a short line ends a paragraph. */
function paragraphsOf(message: string): string[] {
  const paragraphs: string[] = [];
  let open = false;
  for (const line of message.split('\n')) {
    const text = line.trim();
    if (open && text !== '') paragraphs.push(`${paragraphs.pop()} ${text}`);
    else if (text !== '') paragraphs.push(text);
    open = text.length >= MIN_WRAPPED_LINE;
  }
  return paragraphs;
}

const firstWord = (text: string): string =>
  /[\p{L}\p{M}](?:[\p{L}\p{M}-]*[\p{L}\p{M}])?/u.exec(text)?.[0].toLowerCase() ?? '';

const asks = (sentence: string): boolean =>
  openers.has(firstWord(sentence)) || WISH.test(sentence) || SIGNS.test(sentence);

/** Where the question begins in a sentence that greets or tells something first; 0 where it does not. */
function asideIn(sentence: string): number {
  if (!ASIDE.test(sentence)) return 0;
  let from = 0;
  for (const clause of sentence.split(CLAUSE_END)) {
    // “My parcel is lost, what now?” asks nothing in its last words alone.
    if (from > 0 && openers.has(firstWord(clause)) && clause.split(/\s+/).length >= MIN_WORDS) return from;
    from = sentence.indexOf(clause, from) + clause.length;
    while (/\s/.test(sentence[from] ?? '')) from++;
  }
  return 0;
}

/** A greeting or thanks: words that hold sentences together, and no question mark. */
export function asksNothing(message: string): boolean {
  if (MARK.test(message)) return false;
  const language = languageOf(message);
  let contentWords = 0;
  eachWord(message, (word) => {
    const spoken = scriptOf(word) ?? language;
    if (!isStopWord(word, spoken) && !isCommon(rootOf(word, spoken))) contentWords++;
  });
  return contentWords === 0;
}
