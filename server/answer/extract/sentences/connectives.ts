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
  '(?!\\s+(?:that|of|to|with|from|far|long|much|many|as|for|known|que|de|du|des|di|del|della|à|a)(?!\\p{L}))';
const UNSPACED = /^(?:例えば|たとえば|しかし|したがって|だから|また|例如|比如|但是|但|因此|所以|然而)/;

const listOf = (source: string): string[] => source.split('|').map((one) => one.trim().replace(/\s+/g, ' '));
const PHRASES = Object.values(CONNECTIVES)
  .flatMap(listOf)
  .filter((one) => one.includes(' '));

interface Pattern {
  begins: RegExp;
  /** One or more that a comma divides from what they link, or that may go without another word. */
  removable: RegExp;
}

const patternOf = (words: string[]): Pattern => {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const link = `(?:${longestFirst.join('|')})(?!\\p{L})`;
  return {
    begins: new RegExp(`^${link}${NO_LINK}`, 'iu'),
    removable: new RegExp(
      `^(?:${link},?\\s+){0,3}?(?:${link},\\s+|(?:and|but|(?:please )?note that)\\s+)(?!${link}${NO_LINK})`,
      'iu',
    ),
  };
};

const PATTERNS = new Map(
  Object.entries(CONNECTIVES).map(([language, list]) => [language, patternOf([...listOf(list), ...PHRASES])]),
);
const ANY = patternOf(PHRASES);

/** Whether a sentence of the text begins with words that link it to the one before it. */
export const isLinked = (sentence: string, text: string): boolean =>
  UNSPACED.test(sentence) || patternFor(sentence, text)?.begins.test(sentence) === true;

/** A sentence without such words, where what is left is a sentence. */
export function withoutLink(sentence: string, text: string): string {
  const [link = ''] = patternFor(sentence, text)?.removable.exec(sentence) ?? [];
  const rest = sentence.slice(link.length);
  return link === '' ? sentence : rest.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** The language is detected only where it decides. */
function patternFor(sentence: string, text: string): Pattern | undefined {
  if (ANY.begins.test(sentence)) return PATTERNS.get(detectLanguage(text) ?? 'en') ?? ANY;
  const languages = [...PATTERNS].filter(([, { begins }]) => begins.test(sentence));
  if (languages.length === 0) return undefined;
  const detected = detectLanguage(text) ?? 'en';
  return languages.find(([language]) => language === detected)?.[1];
}
