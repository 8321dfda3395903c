import { rootOf } from '../../knowledge/text/tokenizer.ts';

/**
 * English words of opposite meaning, one side each of a bar. Prefixes (`un-`, `in-`) need no entry. No other sign tells an
 * opposite from a synonym: both stand in the same sentences.
 */
const PAIRS = `
more greater|less fewer
most|least fewest
many|few
increase raise rise grow higher|decrease reduce lower fall drop shrink decline
first|last
oldest|youngest
old older|young younger
early earlier earliest|late later latest
before|after
above over|below under
largest biggest greatest|smallest
large larger big bigger huge|small smaller little tiny
high higher highest tall|low lower lowest
long longer longest|short shorter shortest
fast faster quick quicker|slow slower
cheap cheaper cheapest|expensive dear dearest
easy easier simple|difficult hard harder complicated
strong stronger|weak weaker
strengthen|weaken
rich|poor
hot warm|cold cool
light lighter|heavy heavier
wide wider|narrow narrower
deep|shallow
near|far
same similar|different
always often usually frequently|never rarely seldom
always|sometimes
all every everyone|none
best better good|worst worse bad
allow permit|forbid prohibit ban
allowed permitted|forbidden prohibited banned
optional voluntary|mandatory compulsory obligatory required
include|exclude omit
accept approve|reject refuse decline
support favour promote|oppose
favour|against
win won victory|lose lost defeat
succeed success|fail failure
open|closed shut
begin start|end stop finish
enter|leave exit
arrive arrival|depart departure
create build built found|destroy demolish demolished
attack|defend
remember|forget
free|paid
public|private
north northern|south southern
east eastern|west western
left|right
inside indoor|outside outdoor
maximum|minimum
double twice|half
inner|outer
upper|lower
male|female
man men|woman women
mother|father
son|daughter
brother|sister
husband|wife
king|queen
full|empty
alive living|dead
birth born|death died
war|peace
true|false
safe|dangerous
rare|common frequent
present|absent
gain profit|loss
import|export
friend friendly ally|enemy hostile
temporary|permanent
automatic automatically|manual manually
online|offline
fixed|variable
admire praise praised admired|mock mocked
majority|minority
new|old former
once|often
working works|broken
prefer preference priority|avoid
`;

const opposites = new Map<string, Set<string>>();
for (const line of PAIRS.trim().split('\n')) {
  const [one = [], other = []] = line.split('|').map((side) => side.split(' ').map((word) => rootOf(word)));
  for (const [words, against] of [
    [one, other],
    [other, one],
  ])
    for (const word of words!) opposites.set(word, new Set([...(opposites.get(word) ?? []), ...against!]));
}

const PREFIX = /^(?:un|in|im|ir|il|dis|non)(?=\p{L}{4})/u;

const isPrefixed = (word: string, base: string): boolean => {
  const bare = word.replace(PREFIX, '');
  return bare !== word && rootOf(bare) === base;
};

/** Whether two words, each with its root, mean the opposite of each other. */
export const areOpposites = (one: { text: string; root: string }, other: { text: string; root: string }): boolean =>
  opposites.get(one.root)?.has(other.root) === true ||
  isPrefixed(one.text, other.root) ||
  isPrefixed(other.text, one.root);
