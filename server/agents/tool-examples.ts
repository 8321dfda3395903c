import { LRUCache } from 'lru-cache';
import { isChatWord } from '../knowledge/search/asking/politeness.ts';
import type { ToolFunction } from '../schema/records.ts';
import type { AgentVariable } from '../schema/variables.ts';
import { tellingWords } from './collect/traits.ts';
import { withoutValues } from './collect/value-alone.ts';
import { featuresOf, type Features, type Word } from './routing/features.ts';
import { classOf, examplesOf } from './tool-functions.ts';

/** Likeness from which on a request is clearly one of the examples: 1 is the same words; .75 to .82 do the same on lookups.json. */
const MIN_LIKENESS = 0.8;
/** What a stop word counts; others count 1. Of .2 to .5, .5 calls least that is not meant. */
const STOP_SHARE = 0.5;
const weigh = ({ stop }: Word): number => (stop ? STOP_SHARE : 1);

/** Features of examples that stay in memory, about 20 MB: each message is compared with all examples of an agent. */
const MAX_KNOWN_FEATURES = 200_000;
const known = new LRUCache<string, Features>({ maxSize: MAX_KNOWN_FEATURES, sizeCalculation: ({ size }) => size + 1 });

/** UTF-16 units of a message that are compared, and parts of it. */
const [MAX_REQUEST, MAX_PARTS] = [600, 6];
const PARTS = /[.!?…;\n]+\s+|,\s+/u;

/**
 * The enabled function that only reads whose `meta.examples` the message is clearly like; the first of those most like it. Values of
 * the variables count neither in the message nor in the examples, nor do politeness and parts that only give a value.
 */
export function functionByExample(
  functions: readonly ToolFunction[],
  message: string,
  variables: readonly AgentVariable[] = [],
): ToolFunction | undefined {
  const able = functions.filter((one) => one.enabled === 1 && classOf(one) === 'read' && examplesOf(one).length > 0);
  if (able.length === 0) return undefined;
  const requests = requestsIn(message.slice(0, MAX_REQUEST), variables).map((text) => featuresOf(text, weigh));
  let best = MIN_LIKENESS;
  let found: ToolFunction | undefined;
  for (const one of able) {
    const examples = examplesOf(one).map((example) => featuresOfExample(requestOf(example, variables)));
    const likeness = Math.max(
      ...examples.flatMap((example) => requests.map((request) => likenessOf(request, example))),
    );
    if (likeness < best || (found && likeness === best)) continue;
    best = likeness;
    found = one;
  }
  return found;
}

/** What a message asks for: all of it, and each part where the others ask for nothing. */
function requestsIn(message: string, variables: readonly AgentVariable[]): string[] {
  const parts = message.split(PARTS).slice(0, MAX_PARTS);
  const asks = parts.filter((part) => withoutValues(part, variables) === part && tellingWords(part).some(isTelling));
  const alone = asks.length > 1 ? [] : asks.length === 1 ? asks : parts;
  return [...new Set([message, ...alone].map((part) => requestOf(part, variables)))].filter((one) => one !== '');
}

const isTelling = (word: string): boolean => !isChatWord(word) && !POLITE_WORD.test(word);

const POLITE_WORD = /^(?:please|thanks|thank|hello|bitte|danke|hallo|gracias|hola|merci|bonjour|grazie|ciao)$/;
const POLITE =
  /(?<!\p{L})(?:please|hello|hi|hey|thanks|thank you|bitte|danke|hallo|guten tag|por favor|gracias|hola|s['’]il (?:vous|te) pla[iî]t|merci|bonjour|per favore|grazie|buongiorno|obrigad[oa]|olá|alstublieft|alsjeblieft|bedankt)(?!\p{L})[,!.]?/giu;
const CONTRACTION = /(?<=(?<!\p{L})(?:where|what|who|how|when))['’]s(?!\p{L})/giu;
/** What leads to a request: "could you tell me where …". */
const LEAD =
  /^\W*(?:(?:could|can|would|will) you (?:tell me|let me know|check|say|find out|look up|see)|i(?:['’]d| would) like to know|i want(?:ed)? to know|i(?: a|['’])m wondering|i wonder|do you know|(?:tell me|let me know)|(?:können|könnten) sie(?: mir)? (?:sagen|nachsehen)|(?:kannst|könntest) du(?: mir)? (?:sagen|nachsehen)|wissen sie|weißt du|ich (?:möchte|würde gerne?) wissen|(?:pouvez|pourriez)[- ]vous(?: me)? (?:dire|vérifier)|je voudrais savoir|savez[- ]vous|(?:puede|podría)[ns]?(?: usted)? (?:decirme|comprobar)|quisiera saber|sabe[ns]?(?: usted)?|(?:può|potrebbe|potete) (?:dirmi|controllare)|vorrei sapere|(?:kunt u|kun je)(?: mij| me)? (?:zeggen|nakijken)|ik wil graag weten)[\s,]+/iu;

const requestOf = (text: string, variables: readonly AgentVariable[]): string =>
  withoutValues(text, variables).replace(CONTRACTION, ' is').replace(POLITE, ' ').replace(LEAD, '').trim();

function featuresOfExample(example: string): Features {
  const before = known.get(example);
  if (before) return before;
  const features = featuresOf(example, weigh);
  known.set(example, features);
  return features;
}

function likenessOf(one: Features, other: Features): number {
  let sum = 0;
  for (const [name, { weight }] of one) sum += weight * (other.get(name)?.weight ?? 0);
  return sum;
}
