import { isCommon } from '../../text/synonyms.ts';
import { isStopWord, languageOf, scriptOf } from '../../text/language.ts';
import { eachWord, rootOf } from '../../text/tokenizer.ts';
import { hasVerb } from './fragments.ts';
import { MARK, sentencesIn, STATEMENT, WRITER } from './message-sentences.ts';
import { GREETING, isPoliteQuestion } from './politeness.ts';

/** The part of a message that asks, and the rest: greetings, a story, thanks, which need no passage. */
export interface SplitMessage {
  /** The sentences that ask, in their order; the whole message where nothing tells them from the rest. */
  question: string;
  /** The same one by one. */
  asking: string[];
  /** What these sentences tell before they ask. */
  aside: string;
  /** The other sentences, one a line. */
  rest: string;
}

/** What asks, alone or behind a preposition (“in which year”), wherever it begins a question. */
const QUESTION_WORDS = `what which who whom whose when where why how whats wheres whos whens hows
  was wer wen wem wessen welche welcher welches welchem welchen wann wo woher wohin womit wofür warum wieso weshalb wie wieviel
  qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo
  quoi qui quel quelle quels quelles quand où comment pourquoi combien
  chi quale quali quando quanto quanta quanti quante dove perché
  quem qual quais onde como porque
  wat welke wanneer waar waarom hoe hoeveel
  co kto kiedy gdzie jak jaki jaka jakie ile dlaczego
  vad vem vilken vilket vilka när var varför hur hvad hvem hvilken hvilket hvornår hvor hvorfor hvordan
  mitä mikä kuka milloin missä miten miksi ki mikor hol hogyan miért mennyi hány
  cine când unde cum cât câte
  что кто какой какая какие когда где куда как почему зачем сколько
  τι ποιος ποια ποιο πότε πού πώς γιατί πόσο
  ما ماذا متى أين كيف لماذا كم क्या कौन कब कहाँ कैसे क्यों कितना कितने`;
/**
 * What else a question or a request begins with where it goes without a mark. Both lists leave out what is another word in
 * another language, or begins a farewell (have a nice day, mit freundlichen Grüßen).
 */
const OPENING_VERBS = `is are were do does did can could should will would may must tell show explain describe list
  kann kannst können könnt könnten könntest könntet darf dürfen gibt ist sind hat habt muss müssen wird nehmt nehmen bietet
  erklär erkläre sagen
  puedo puede pueden podemos podría podrían hay dime dígame explica explique
  est-ce puis-je peut-on pouvez-vous peux-tu dites-moi expliquez y-a-t-il
  che posso può possono potete potrei spiega dimmi
  pode podem poderia há diga
  kan kunnen mag vertel czy mogę można får må voiko voinko kuinka lehet pot poate
  можно можете могу скажите μπορώ μπορείτε هل`;
const questionWords = new Set(QUESTION_WORDS.split(/\s+/));
const openers = new Set([...questionWords, ...OPENING_VERBS.split(/\s+/)]);
/** Languages whose questions carry their sign within or at the end. */
const SIGNS =
  /吗|什么|怎么|哪|多少|几|为什么|如何|谁|ですか|ますか|でしょうか|か。?$|何|どこ|いつ|なぜ|까요?|습니까|무엇|어디|언제|얼마|어떻게|ไหม|หรือไม่|อะไร|อย่างไร|ยังไง|เท่าไร|เท่าไหร่|เท่าใด|เมื่อไร|เมื่อไหร่|ไหน|ทำไม|ใคร|ใด|กี่|หรือเปล่า|หรือยัง|มั้ย|(?<!\p{L})(?:m[ıuü](?:yım|yuz|yız|sınız|dır)?(?!\p{L})|mi(?:yim|yiz|siniz|dir|(?=\P{L}*$)))|क्या|कब|कहाँ|कैसे/u;
const WISH =
  /^(?:(?:please|kindly|and|so|but|now)\s+)*(?:i (?:want|need|would like|['’]?d like|wish) to (?:know|ask|find out|learn)(?! (?:it|this|for sure|for certain)(?!\p{L}))|i(?: am|['’]m) (?:wondering|looking for)|i wonder|let me know|give me|please (?:tell|explain|describe|show|list|give|send|advise|name|say|define))\b|^(?:ich (?:möchte|würde gerne?|will) (?:wissen|fragen)|quisiera saber|me gustaría saber|je (?:voudrais|souhaite) savoir|vorrei sapere|gostaria de saber)/iu;
const HELLO = /^\P{L}*(?:hi+|hey+|hello+|hallo|hola|bonjour|salut|ciao|olá|oi|hoi|hej)\s+/iu;
const ASKED_WITHIN =
  /\s(?:what|how|where|when|why|which|who)\s+(?:do|does|did|is|are|can|could|should|would|will|must|much|many|long|far|often)\s/i;
/** What may stand between a greeting or a story and the question in one sentence. */
const CLAUSE_END = /(?<=[,:–—])\s+/u;
const [MIN_WORDS, MAX_GREETING_WORDS] = [3, 3];
/** Between what leads to a question and the question. */
const LEAD_END = /(?:[:：;]|(?<=\s)[–—-]{1,2}|\.{2,}|…)(?:\s+|(?=["“„«‘\p{Script=Han}]))["“„«‘]?/gu;
const HEDGE =
  /^\P{L}*(?:(?:ok(?:ay)?|well|so|u+m+|h+m+|sorry|hey|hi)\P{L}+)*(?:if )?(?:this|that|it)(?: is|['’]s| might| may| will| probably| could)* (?:be |sound |seem )?(?:like )?(?:an? )?(?:bit |really |very |kind of )?(?:dumb|stupid|silly|basic|odd|weird|strange|obvious|random)(?: question| one)?\P{L}+(?:but\P{L}+)?/iu;
const JOIN =
  /(?<!\p{L})(?:but|so|and|anyway|wondering|wonder|ask|asking|know|aber|und|fragen|wissen|pero|saber|mais|savoir|ma|sapere|mas|maar|weten)\P{L}+/giu;
/** Behind no pronoun: “she was there”, where “was” begins questions in German. */
const SECOND_WORD =
  /^\P{L}*(?!(?:i|he|she|it|you|we|they|this|that|er|sie|es|ich|wir|ihr|il|elle|je|on|eu|ele|ela|io|lui|lei|hij|zij|ze|ik|jij|je|han|hon|hun|jag|jeg|vi)(?!\p{L}))(?:\p{L}{1,4}|until|since|about)\P{L}{1,3}([\p{L}\p{M}]+)/iu;
const MAX_HEDGE_LENGTH = 160;
const COURTESY =
  /^\P{L}*(?:(?:i|we)(?:['’](?:m|ve|d|re)| was| am| were| are| have| had| would| just| only| do)*\s+(?:hope|hoping|wonder(?:ing)?|like to|love to|need to know|want(?:ed)? to (?:know|ask)|got|an?) ?(?:quick |small |short |simple )?(?:question)?|been meaning|ich (?:hoffe|hätte|habe (?:da )?(?:mal )?eine)|espero|llevo|quería|j['’]espère|spero|vorrei|queria|gostaria|ik hoop|ik heb (?:even )?een)(?!\p{L})/iu;
/** “Last time we got it wrong”, where no auxiliary verb asks. */
const TELLS =
  /(?<!(?<!\p{L})(?:am|are|can|could|do|did|may|might|must|shall|should|will|would|have|were|when|where|what|how))\s+(?:i|we)(?:['’]\p{L}+)?\s+\p{L}{2}/iu;
export const isAside = (clause: string): boolean =>
  GREETING.test(clause) || COURTESY.test(clause) || STATEMENT.test(clause);
/** Words that say something, up to which a question needs what the writer states before it: “My mum is 90, can she come?” */
const THIN = 1;

export interface Site {
  /** How much of a sentence pages speak of. */
  worth(sentence: string): number;
  /** Whether it is clearly in a language that no page is in. */
  isForeign(sentence: string): boolean;
}

/**
 * Tells the sentences that ask from the rest: those with a question mark, else those that begin as questions and requests
 * do, else the one that holds most of what pages speak of.
 */
export function splitQuestion(message: string, site: Site): SplitMessage {
  const sentences = sentencesIn(message, site.isForeign).filter((one) => !isPoliteQuestion(one));
  const isMarked = sentences.map((sentence) => MARK.test(sentence));
  const isAsking = isMarked.includes(true)
    ? isMarked
    : sentences.map((one) => asks(one.replace(HELLO, '')) || asideIn(one) > 0);
  if (sentences.length > 1 && !isAsking.includes(true)) {
    const values = sentences.map((sentence) => valueOf(sentence, site));
    const best = Math.max(...values);
    if (best > 0) isAsking[values.indexOf(best)] = true;
  }
  // Beside a question in a language of the site, one in another is of politeness.
  const isForeign = sentences.map((one, at) => isAsking[at]! && site.isForeign(one));
  const isMixed = isAsking.some((isOne, at) => isOne && !isForeign[at]);
  const asking: string[] = [];
  const asides: string[] = [];
  for (const sentence of sentences.filter((_, at) => isAsking[at] && !(isMixed && isForeign[at]))) {
    const from = asideIn(sentence) || greetingIn(sentence);
    if (from > 0) asides.push(sentence.slice(0, from));
    asking.push(sentence.slice(from));
  }
  if (asking.length === 0)
    return {
      question: sentences.map((one) => one.slice(greetingIn(one))).join(' ') || message,
      asking,
      aside: '',
      rest: '',
    };
  const rest = sentences.filter((one, at) => !isAsking[at] && !site.isForeign(one));
  const aside = asides.filter((one) => !site.isForeign(one));
  return { question: asking.join(' '), asking, aside: aside.join('\n'), rest: rest.join('\n') };
}

/** What the writer tells of themself, and asks nothing. */
export const isStory = (sentence: string): boolean =>
  (isAside(sentence.replace(HELLO, '')) || (WRITER.test(sentence) && (hasVerb(sentence) || TELLS.test(sentence)))) &&
  !asksWithin(sentence);

/** By length, since a story has more words that pages have; a story counts next to nothing. */
export const valueOf = (sentence: string, { worth, isForeign }: Site): number =>
  isForeign(sentence) ? 0 : ((isStory(sentence) ? 1e-3 : 1) * worth(sentence)) / Math.sqrt(sentence.length);

const firstWord = (text: string): string =>
  /[\p{L}\p{M}](?:[\p{L}\p{M}-]*[\p{L}\p{M}])?/u.exec(text)?.[0].toLowerCase() ?? '';

/** Behind a short word, such as a preposition. */
const secondWord = (text: string): string => SECOND_WORD.exec(text)?.[1]!.toLowerCase() ?? '';

/** “I am 40 and can't swim”. */
const DENIAL = /^\P{L}*\p{L}+(?:n['’]t|\s+(?:not|never))\s+(?!(?:i|you|we|they|he|she|it|there|the|your)(?!\p{L}))/iu;

/** “Would be great to hear from you”, without a subject. */
const WITHOUT_SUBJECT =
  /^\P{L}*(?:would|could|should|might|must|may|wäre|würde)\s+(?:be|have|love|like|need|appreciate|really|also)(?!\p{L})/iu;

/** Begins as a question or a request does. */
export const asks = (sentence: string): boolean =>
  (openers.has(firstWord(sentence)) && !DENIAL.test(sentence) && !WITHOUT_SUBJECT.test(sentence)) ||
  questionWords.has(secondWord(sentence)) ||
  WISH.test(sentence) ||
  SIGNS.test(sentence);

/** “…, which cost me an afternoon” */
const RELATIVE = /^\P{L}*(?:which|who|whose|whom|where|when|die|der|das|qui|que|che)(?!\p{L})/iu;

/** “I stayed too long what do I pay”, which begins as a statement. */
const asksWithin = (sentence: string): boolean =>
  ASKED_WITHIN.test(sentence) ||
  sentence.split(CLAUSE_END).some((clause) => asks(clause) && !RELATIVE.test(clause) && isLongEnough(clause));

/** Where the question begins in a sentence that greets, hedges or tells something first; 0 where it does not. */
function asideIn(sentence: string): number {
  const lead = leadIn(sentence);
  const from = lead + hedgeIn(sentence.slice(lead));
  return from + clausesIn(sentence.slice(from));
}

/** Where the question begins behind a greeting: “Hello everybody, is it open?” */
function greetingIn(sentence: string): number {
  const [greeting = ''] = sentence.split(CLAUSE_END, 1);
  const asked = sentence.slice(greeting.length).trimStart();
  const isShort = greeting.split(/\s+/).length <= MAX_GREETING_WORDS && GREETING.test(greeting);
  return isShort && /\p{L}/u.test(asked) ? sentence.length - asked.length : 0;
}

/** “One thing I could not find: …”, with a dash or dots as well. */
function leadIn(sentence: string): number {
  let from = 0;
  for (const { index, 0: end } of sentence.matchAll(LEAD_END)) {
    const before = sentence.slice(from, index);
    if (questionWords.has(firstWord(before)) || questionWords.has(secondWord(before))) break;
    const question = sentence.slice(index + end.length);
    if (!end.startsWith(':') && isNeededBy(question, before)) break;
    const isQuestion = isLongEnough(question) && (MARK.test(question) || asks(question));
    if (isQuestion || (isAside(before) && /\p{L}/u.test(question))) from = index + end.length;
  }
  return from;
}

/** “This may sound silly but …”, “I was wondering whether …”. */
function hedgeIn(sentence: string): number {
  const hedge = HEDGE.exec(sentence)?.[0].length ?? 0;
  if (hedge > 0 || !isAside(sentence)) return hedge;
  for (const { index, 0: join } of sentence.slice(0, MAX_HEDGE_LENGTH).matchAll(JOIN)) {
    const question = sentence.slice(index + join.length);
    if (isNeededBy(question, sentence)) return 0;
    // “Hi, is it open and can I come?”
    if (
      sentence
        .slice(0, index)
        .split(CLAUSE_END)
        .some((clause) => asks(clause) && isLongEnough(clause))
    )
      return 0;
    if (isLongEnough(question) && asks(question)) return index + join.length;
  }
  return 0;
}

/** “Hi, I am moving house, when do you collect?” */
function clausesIn(sentence: string): number {
  if (!isAside(sentence)) return 0;
  let from = 0;
  let needed = -1;
  for (const clause of sentence.split(CLAUSE_END)) {
    // “My parcel is lost, what now?” asks nothing in its last words alone.
    // “My neighbour, who lives here, told me”.
    const isRelative = RELATIVE.test(clause) && STATEMENT.test(sentence) && !hasVerb(sentence.slice(0, from));
    if (from > 0 && !isRelative && asks(clause) && isLongEnough(clause))
      return needed >= 0 && isThin(sentence.slice(from)) ? needed : from;
    if (needed < 0 && STATEMENT.test(clause) && !COURTESY.test(clause)) needed = from;
    from = sentence.indexOf(clause, from) + clause.length;
    while (/\s/.test(sentence[from] ?? '')) from++;
  }
  return 0;
}

/** Whether a question says too little without the statement before it. */
const isNeededBy = (question: string, before: string): boolean =>
  STATEMENT.test(before) && !COURTESY.test(before) && isThin(question);

const isThin = (question: string): boolean => contentWords(question) <= THIN;

const isLongEnough = (clause: string): boolean => clause.trim().split(/\s+|(?=\p{Script=Han})/u).length >= MIN_WORDS;

/** A greeting or thanks: words that hold sentences together, and no question mark. */
export const asksNothing = (message: string): boolean => !MARK.test(message) && contentWords(message) === 0;

/** Words that are neither stop words nor common in any text. */
export function contentWords(text: string): number {
  const language = languageOf(text);
  let count = 0;
  eachWord(text, (word) => {
    const spoken = scriptOf(word) ?? language;
    if (!isStopWord(word, spoken) && !isCommon(rootOf(word, spoken))) count++;
  });
  return count;
}
