import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import { membersOf, WORLD } from './containment.ts';
import { placesIn } from './names.ts';

/** What a line of a page is for. */
export interface Territory {
  /** ISO codes of countries. */
  members: ReadonlySet<string>;
  /** Those of them that it names itself. */
  named: ReadonlySet<string>;
  /** Those that it leaves out, where it says so. */
  excluded: ReadonlySet<string>;
}

/** Behind them stands what is left out: “Europe without Norway”, “outside the EU”. */
const WITHOUT =
  /(?<![\p{L}\p{M}])(?:non|not|exclud\p{L}*|excl|except|outside|without|au(?:ß|ss)er(?:halb)?|ausgenommen|ohne|nicht|hors|sauf|excepté|à l[’']exception|non|fuera|excepto|salvo|sin|eccetto|escluso?[aei]?|tranne|fuori|extra|exceto|fora|sem|buiten|behalve|exclusief|niet|poza|oprócz|bez|z wyjątkiem|utom|utanför|förutom|undtagen|uden|udenfor|unntatt|utenfor|mimo|kromě|кроме|вне|за исключением|крім|поза|în afara|cu excepția|hariç|dışında|εκτός|kivéve|kívül|lukuun ottamatta)(?![\p{L}\p{M}])|ulkopuol|除外|除く|以外|제외/iu;
/** All countries that no other line has. */
const OTHERS =
  /(?<![\p{L}\p{M}])(?:(?:other|all|foreign) (?:countries|nationalit\p{L}+|nations)|international\p{L}*|overseas|abroad|world-?wide|elsewhere|every?where else|ander\p{L}* (?:länder|staat)\p{L}*|übrig\p{L}* (?:länder|staat)\p{L}*|ausland|weltweit|autres (?:pays|nationalités)|étranger|ailleurs|(?:otros|demás) países|otras nacionalidades|extranjero|internacional\p{L}*|altri (?:paesi|stati)|estero|internazional\p{L}*|outros países|estrangeiro|(?:andere|overige) landen|buitenland|internationaal|wereldwijd|(?:inne|pozostałe) kraje|zagranic\p{L}*|międzynarodow\p{L}*|(?:övriga|andra) länder|utlandet|utomlands|(?:andre|øvrige) lande?|udlandet|(?:ostatní|jiné) (?:země|státy)|zahraničí|(?:другие|остальные) страны|остальной мир|международн\p{L}*|інші країни|alte țări|străinătate|diğer ülkeler|yurt ?dışı|άλλες χώρες|εξωτερικό|egyéb országok|külföld|muut maat|ulkomaat)(?![\p{L}\p{M}])|その他の国|海外|其他国家|国外|기타 국가|해외|دول أخرى|ארצות אחרות|अन्य देश|ประเทศอื่น/iu;

/** Undefined for a label that names no place. */
export function territoryOf(label: string, languages: readonly LanguageCode[]): Territory | undefined {
  const from = label.search(WITHOUT);
  const end = from < 0 ? -1 : label.indexOf(')', from);
  const isLeftOut = ({ start }: { start: number }): boolean => from >= 0 && start >= from && (end < 0 || start < end);
  const places = placesIn(label, languages).filter(({ isCity }) => !isCity);
  const without = places.filter(isLeftOut);
  const within = places.filter((place) => !isLeftOut(place)).map(({ code }) => code);
  const others = OTHERS.exec(label);
  const isWorld = (others && !isLeftOut({ start: others.index })) || (within.length === 0 && without.length > 0);
  if (within.length === 0 && !isWorld) return undefined;
  const excluded = new Set(without.flatMap(({ code }) => membersOf(code)));
  const members = (isWorld ? [...within, WORLD] : within).flatMap(membersOf);
  const countries = within.filter((code) => membersOf(code).length === 1);
  const isIn = (code: string): boolean => !excluded.has(code);
  return { members: new Set(members.filter(isIn)), named: new Set(countries.filter(isIn)), excluded };
}
