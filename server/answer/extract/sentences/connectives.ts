import { detectLanguage } from '../../../knowledge/text/detect-language.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';

/** With which a sentence begins that illustrates, limits or goes on from the one before it; words alone count in their language. */
const CONNECTIVES: Partial<Record<LanguageCode, string>> = {
  en: `accordingly|additionally|also|and|as a consequence|as a result|as an example|as an illustration|as such|besides|but|by
    comparison|by contrast|consequently|conversely|equally|even so|for example|for instance|for that reason|for this reason|
    furthermore|hence|however|in addition|in comparison|in contrast|in other words|in particular|in that case|in this case|
    in turn|instead|likewise|meanwhile|moreover|nevertheless|nonetheless|note that|on the contrary|on the other hand|or|please
    note that|similarly|so|still|that said|then|therefore|though|thus|to illustrate|yet`,
  de: `aber|allerdings|also|als beispiel|andererseits|auch|aus diesem grund|außerdem|beachten sie|beispielsweise|bitte beachten
    sie|dagegen|daher|dann|darum|demgegenüber|denn|dennoch|deshalb|deswegen|doch|ebenso|ferner|folglich|hingegen|im gegensatz
    dazu|im gegenteil|infolgedessen|jedoch|mit anderen worten|oder|so|somit|sonst|trotzdem|und|zudem|zum beispiel`,
  es: `además|así|así pues|asimismo|como ejemplo|de lo contrario|en cambio|en consecuencia|en otras palabras|entonces|es decir|no
    obstante|o|pero|por consiguiente|por ejemplo|por el contrario|por ello|por eso|por esta razón|por lo tanto|por otra parte|
    por otro lado|por tanto|sin embargo|también|tenga en cuenta|y`,
  fr: `ainsi|au contraire|aussi|autrement dit|c['’]est pourquoi|cependant|d['’]autre part|de plus|donc|en conséquence|en outre|en
    revanche|et|mais|néanmoins|notez que|ou|par conséquent|par contre|par exemple|pour cette raison|pourtant|sinon|toutefois|
    veuillez noter|à titre d['’]exemple`,
  it: `ad esempio|al contrario|altrimenti|anche|come esempio|d['’]altra parte|di conseguenza|dunque|e|in altre parole|inoltre|
    invece|ma|o|per contro|per esempio|per questo|per questo motivo|perciò|pertanto|però|quindi|si noti|tuttavia`,
  pt: `além disso|assim|como exemplo|contudo|de igual modo|e|em contrapartida|em contraste|entretanto|mas|no entanto|note que|ou|
    ou seja|pelo contrário|por conseguinte|por exemplo|por isso|por outro lado|por outras palavras|porém|portanto|também|tenha
    em conta|todavia`,
  nl: `als voorbeeld|anders|bijvoorbeeld|bovendien|daarentegen|daarnaast|daarom|dan|desondanks|dus|echter|en|evenzo|hierdoor|
    in tegenstelling daarmee|integendeel|let op|maar|met andere woorden|of|om die reden|ook|toch|vandaar`,
  pl: 'ale|dlatego|jednak|na przykład|natomiast|ponadto|więc|zatem|z drugiej strony|z kolei',
  sv: 'annars|därför|dessutom|däremot|men|och|som exempel|till exempel|trots det|å andra sidan',
  da: 'derfor|derimod|desuden|ellers|for eksempel|men|og|på den anden side|til gengæld',
  nb: 'derfor|derimot|dessuten|ellers|for eksempel|men|og|på den andre siden',
  ru: 'а|в то же время|зато|и|иначе|кроме того|например|но|однако|поэтому|с другой стороны|таким образом|следовательно',
  ro: 'altfel|astfel|dar|de aceea|de exemplu|deci|pe de altă parte|prin urmare|totuși|în schimb',
  tr: 'ancak|ayrıca|bu nedenle|bununla birlikte|fakat|örneğin|ve|öte yandan',
  el: 'αλλά|αντίθετα|επομένως|επίσης|και|για παράδειγμα|όμως|ωστόσο',
};
/** Behind one of them these make a phrase of it that links nothing: “so that”, “as a result of”, “invece di”. */
const NO_LINK =
  /\s+(?:that|of|to|with|from|far|long|much|many|as|for|known|que|de|du|des|di|del|della|à|a)(?!\p{L})/iuy;
const UNSPACED = /^(?:例えば|たとえば|しかし|したがって|だから|また|例如|比如|但是|但|因此|所以|然而)/;
/** Up to as many words as the longest of them has, with one character between each two. */
const WORDS = /\p{L}+(?:[ '’]\p{L}+){0,3}/uy;
const [COMMA, SPACE] = [/,\s+/y, /,?\s+/y];
/** These may go without a comma. */
const REMOVABLE = /(?:and|but|(?:please )?note that)\s+/iuy;
/** Connectives before the one that may go, as in “but then, for example,”. */
const MAX_LINKS_BEFORE = 3;

/** Each connective, and the languages that have it; a phrase counts in all. A look-up: one pattern a language takes 150 kB each. */
const LANGUAGES_OF = new Map<string, Set<LanguageCode>>();
for (const [language, list] of Object.entries(CONNECTIVES)) {
  for (const one of list.replaceAll("['’]", "'").split('|')) {
    const link = one.trim().replace(/\s+/g, ' ');
    LANGUAGES_OF.set(link, (LANGUAGES_OF.get(link) ?? new Set()).add(language as LanguageCode));
  }
}

interface Link {
  end: number;
  isPhrase: boolean;
  languages: ReadonlySet<LanguageCode>;
}

/** Whether a sentence of the text begins with words that link it to the one before it. */
export function isLinked(sentence: string, text: string): boolean {
  if (UNSPACED.test(sentence)) return true;
  const links = linksAt(sentence, 0).filter((link) => isWhole(sentence, link));
  if (links.length === 0) return false;
  // The language is detected only where it decides.
  return links.some(({ isPhrase }) => isPhrase) || links.some(countsIn(languageOf(text)));
}

/** A sentence without such words, where what is left is a sentence. */
export function withoutLink(sentence: string, text: string): string {
  const end = isLinked(sentence, text) ? removableEnd(sentence, countsIn(languageOf(text))) : 0;
  return end === 0 ? sentence : sentence.slice(end).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

const languageOf = (text: string): LanguageCode => detectLanguage(text) ?? 'en';
const countsIn =
  (language: LanguageCode) =>
  ({ isPhrase, languages }: Link): boolean =>
    isPhrase || languages.has(language);

/** Longest first. */
function linksAt(sentence: string, at: number): Link[] {
  const links: Link[] = [];
  let end = endOf(WORDS, sentence, at);
  while (end > at) {
    const words = sentence.slice(at, end);
    const link = words.toLowerCase().replaceAll('’', "'");
    const languages = LANGUAGES_OF.get(link);
    if (languages) links.push({ end, isPhrase: link.includes(' '), languages });
    end = at + Math.max(...[' ', "'", '’'].map((between) => words.lastIndexOf(between)));
  }
  return links;
}

const isWhole = (sentence: string, { end }: Link): boolean => endOf(NO_LINK, sentence, end) < 0;

/** Where the connectives that a sentence can do without end: one or more that a comma divides from what they link; 0 for none. */
function removableEnd(sentence: string, counts: (link: Link) => boolean, at = 0, before = MAX_LINKS_BEFORE): number {
  const links = linksAt(sentence, at).filter(counts);
  const begins = (place: number): boolean =>
    linksAt(sentence, place).some((link) => counts(link) && isWhole(sentence, link));
  const ends = [...links.map(({ end }) => endOf(COMMA, sentence, end)), endOf(REMOVABLE, sentence, at)];
  const found = ends.find((end) => end > at && !begins(end));
  if (found !== undefined || before === 0) return found ?? 0;
  for (const { end } of links) {
    const next = endOf(SPACE, sentence, end);
    const last = next > end ? removableEnd(sentence, counts, next, before - 1) : 0;
    if (last > 0) return last;
  }
  return 0;
}

/** Where a match that begins at this place ends; -1 for none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
