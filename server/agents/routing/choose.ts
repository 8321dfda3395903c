import type { AgentSettings, AgentType } from '../../schema/records.ts';
import type { Rarity } from './belonging.ts';
import type { Classifier } from './classifier.ts';
import type { AgentRouting } from '../../schema/routing.ts';
import { refersBack, standsAlone } from './refers-back.ts';
import { firstTrue, type SessionFacts } from './rules.ts';

/** What routing needs of an agent. */
export interface RoutableAgent {
  uuid: string;
  name: string;
  type: AgentType;
  meta: Partial<Pick<AgentSettings, 'bias' | 'stickness'>>;
  routing?: (Pick<AgentRouting, 'rules'> & Partial<Pick<AgentRouting, 'examples'>>) | undefined;
}

/** How clearly a message is what a detector looks for: from -1 to 1, clear from 0 on. */
export interface Detectors {
  person(message: string): number;
  spam(message: string): number;
}

export interface Situation<A extends RoutableAgent> {
  query: string;
  /** The visitor's messages before it, newest first. */
  turns?: readonly string[];
  /** The enabled agents in order of creation; background agents never answer and are passed over. */
  agents: readonly A[];
  /** The uuids of the agents that answered before, the last first. */
  answered?: readonly string[];
  /** What rules are about. */
  facts: SessionFacts;
  /** Trained on exactly these agents, background agents among them, in this order. Not asked where one agent can answer. */
  classifier?: Pick<Classifier, 'fits'>;
  detectors?: Detectors;
  /** Of words on the chatbot's site; without it all are equally rare, and on no page. */
  rarity?: Rarity | undefined;
  /** The uuids of the agents that read some of the sources only; all read all by default. */
  narrow?: ReadonlySet<string>;
  /** Where the message is small talk: whether a sentence is such talk too. */
  smallTalk?: ((sentence: string) => boolean) | undefined;
  /** The message is what the agent that answered last has asked for. */
  isReply?: boolean;
}

/** `meta_json.routing` of a message: why this agent answers. */
export interface RoutingRecord {
  by: 'only' | 'rule' | 'classifier' | 'model';
  /** Absent where all have fixed texts, and none of them answers this. */
  agent?: string;
  /** The rule that was true: of which agent, and which of its rules, counted from 0. */
  rule?: { agent: string; index: number };
  /** What the message clearly is, where that alone decides. */
  detected?: 'person' | 'spam' | 'small_talk';
  /** How far the first candidate's score is above that of the next that no detector is for; absent where there is none. */
  margin?: number;
  /** Best first, at most `MAX_CANDIDATES`. */
  candidates?: Candidate[];
}

/** The parts of a score, which is their sum, and of which the classifier's is from -2 to 1; three decimals. */
interface Candidate {
  uuid: string;
  name: string;
  score: number;
  classifier: number;
  bias: number;
  stickness: number;
}

export interface Choice<A> {
  agent: A | undefined;
  record: RoutingRecord | undefined;
}

/** What a bias and a stickness of 1 add to a score; the classifier's part is from -1 to 1. */
const [BIAS, STICKNESS] = [1, 0.25];
/** An agent of this bias, the least there is, takes no part in the choice by score. */
const OUT = -10;
/** The least likeness of a message to an agent that it has anything to do with. */
const FITS = 0.1;
/**
 * How clearly a message has to belong to a fixed text, as the wrong one answers nothing; and how clearly where the words of
 * an agent that reads the sources fit too, and fit so many times less. Chosen on test/agents/teams/tuned.json.
 */
const [BELONGS, MAY_BELONG, AHEAD] = [0.42, 0.2, 1.3];
/** Fixed texts that a message is compared with word by word: 2 ms each for a message of several clauses. */
const MAX_NEAR_FIXED = 12;
/** How far a fixed text that a message does not belong to is below all others: near enough for a model to choose it. So is one that reads less. */
const APART = 0.1;
/** What the user-facing agent that answered last is ahead by, where a message refers back; .2 to .8 do the same on follow-ups.json. */
const HELD = 0.5;
/** Scores nearer than this are as good as a tie: a model is asked where there is one. */
const CLOSE = 0.15;
const [MAX_CANDIDATES, MAX_NAME] = [10, 60];

/** The uuids of those whose scores are as good as the first's, best first. */
export const closeTo = ({ candidates = [] }: RoutingRecord): string[] =>
  candidates.filter(({ score }) => candidates[0]!.score - score < CLOSE).map(({ uuid }) => uuid);

/** Whether the choice was so close that a model may be asked. */
export const isClose = ({ by, margin }: RoutingRecord): boolean => by === 'classifier' && (margin ?? CLOSE) < CLOSE;

/**
 * Who answers: the first agent whose rule is true; the human-escalation agent where a person is clearly wished for, or the
 * spam-defense agent for what is more clearly spam; for small talk the one that has it among its examples, else a user-facing
 * one; else the one of the highest score, of equal ones the first created. Same input, same choice.
 */
export function choose<A extends RoutableAgent>(given: Situation<A>): Choice<A> {
  const { detectors } = given;
  const situation = detectors ? { ...given, detectors: remembering(detectors) } : given;
  const able = situation.agents.filter(({ type }) => type !== 'background');
  const [first, second] = able;
  if (!first) return { agent: undefined, record: undefined };
  if (!second) return { agent: first, record: { by: 'only', agent: first.uuid, ...talkOf(first, situation) } };
  return (
    byRule(able, situation) ?? byDetector(able, situation) ?? bySmallTalk(able, situation) ?? byScore(able, situation)
  );
}

/** For one message: a detector is asked for by itself and for the scores. */
function remembering(detectors: Detectors): Detectors {
  const once = (kind: keyof Detectors) => {
    let clear: number | undefined;
    return (message: string): number => (clear ??= detectors[kind](message));
  };
  return { person: once('person'), spam: once('spam') };
}

function byRule<A extends RoutableAgent>(able: A[], { query, facts }: Situation<A>): Choice<A> | undefined {
  for (const agent of able) {
    const index = firstTrue(agent.routing?.rules ?? [], query, facts);
    if (index < 0) continue;
    return { agent, record: { by: 'rule', agent: agent.uuid, rule: { agent: agent.uuid, index } } };
  }
  return undefined;
}

/** The agents that only their detector brings into play. */
const DETECTED = { 'human-escalation': 'person', 'spam-defense': 'spam' } as const;
const detectedFor = ({ type }: RoutableAgent): 'person' | 'spam' | undefined =>
  type === 'human-escalation' || type === 'spam-defense' ? DETECTED[type] : undefined;

function byDetector<A extends RoutableAgent>(able: A[], situation: Situation<A>): Choice<A> | undefined {
  let best: { agent: A; detected: 'person' | 'spam'; clear: number } | undefined;
  for (const detected of ['person', 'spam'] as const) {
    const agent = able.find((one) => detectedFor(one) === detected);
    // Who asks whether a person answers does not ask for one.
    if (!agent || (detected === 'person' && situation.smallTalk)) continue;
    const clear = clarity(detected, situation);
    // Advertising speaks of people to talk to.
    if (clear >= 0 && clear > (best?.clear ?? -1)) best = { agent, detected, clear };
  }
  if (!best) return undefined;
  const { agent, detected } = best;
  return { agent, record: { by: 'classifier', agent: agent.uuid, detected } };
}

const clarity = (detected: 'person' | 'spam', { query, detectors }: Situation<RoutableAgent>): number =>
  detectors?.[detected](query) ?? -1;

/** The user-facing agent that answered last, else the one of the highest bias, of equal ones the first created. */
function bySmallTalk<A extends RoutableAgent>(
  able: A[],
  { smallTalk, answered = [] }: Situation<A>,
): Choice<A> | undefined {
  if (!smallTalk) return undefined;
  const own = able.find((one) => !detectedFor(one) && one.routing?.examples?.some(smallTalk));
  const facing = able.filter(({ type, meta }) => type === 'user-facing' && (meta.bias ?? 0) > OUT);
  const last = answered.find((uuid) => facing.some((one) => one.uuid === uuid));
  const agent =
    own ??
    facing.find(({ uuid }) => uuid === last) ??
    facing.toSorted((one, other) => (other.meta.bias ?? 0) - (one.meta.bias ?? 0))[0];
  return { agent, record: { by: 'classifier', ...(agent && { agent: agent.uuid }), detected: 'small_talk' } };
}

const talkOf = ({ type }: RoutableAgent, { smallTalk }: Situation<RoutableAgent>): Pick<RoutingRecord, 'detected'> =>
  smallTalk && type === 'user-facing' ? { detected: 'small_talk' } : {};

function byScore<A extends RoutableAgent>(able: A[], situation: Situation<A>): Choice<A> {
  const taking = able.filter(({ meta }) => (meta.bias ?? 0) > OUT);
  const agents = taking.length > 0 ? taking : able;
  const { parts, fitting } = classifierParts(agents, situation);
  const scored = agents.map((agent, at) => {
    const bias = BIAS * (agent.meta.bias ?? 0);
    const stickness = agent.uuid === situation.answered?.[0] ? STICKNESS * (agent.meta.stickness ?? 0) : 0;
    return { agent, at, classifier: parts[at]!, bias, stickness, score: parts[at]! + bias + stickness };
  });
  const ranked = scored.toSorted((one, other) => other.score - one.score);
  // The wrong fixed text answers nothing; a bias makes one the text for all that fits none.
  const isFixed = agents.filter((one) => !detectedFor(one)).every(({ type }) => type === 'pre-canned');
  const answers = ({ at, bias }: { at: number; bias: number }): boolean =>
    !isFixed || agents.length === 1 || bias > 0 || fitting.includes(at);
  const best = ranked.find(answers);
  const first = best ?? ranked[0]!;
  const next = ranked.find((one) => one !== first && !detectedFor(one.agent));
  const record: RoutingRecord = {
    by: 'classifier',
    ...(best && { agent: best.agent.uuid }),
    ...(next && { margin: rounded(first.score - next.score) }),
    candidates: ranked.slice(0, MAX_CANDIDATES).map(({ agent, score, classifier, bias, stickness }) => ({
      uuid: agent.uuid,
      name: agent.name.slice(0, MAX_NAME).toWellFormed(),
      score: rounded(score),
      classifier: rounded(classifier),
      bias: rounded(bias),
      stickness: rounded(stickness),
    })),
  };
  return { agent: best?.agent, record };
}

interface Parts {
  /** By place of the agent. */
  parts: number[];
  /** The places of the agents that the message has something to do with. */
  fitting: number[];
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * The classifier's part of each score: how clearly the message is more like this agent than like the one that comes nearest,
 * from -1 to 1. An agent that the message has nothing to do with has a part in no other's, and is below all that fit; so is
 * a fixed text that the message does not belong to. A message that stands alone and fits none stays with the agent that
 * answered last, if that one reads all sources. A detected agent is as far below the best of the others as the message is from clear.
 */
function classifierParts<A extends RoutableAgent>(agents: A[], situation: Situation<A>): Parts {
  const { query, classifier, rarity = allRare, narrow } = situation;
  // What the visitor asked before says nothing of a question about something else that the site has.
  const isAlone = standsAlone(query, (word) => rarity(word) < 1);
  const fits = classifier?.fits(query, isAlone ? [] : situation.turns);
  const places = agents.map((agent) => situation.agents.indexOf(agent));
  const likeness = (at: number): number => fits?.likeness[places[at]!] ?? 0;
  const ordinary = agents.flatMap((agent, at) => (detectedFor(agent) ? [] : [at]));
  const isFixed = (at: number): boolean => agents[at]!.type === 'pre-canned';
  const isNarrow = (at: number): boolean => narrow?.has(agents[at]!.uuid) === true;
  const belongings: number[] = [];
  const belonging = (at: number): number => (belongings[at] ??= fits!.belonging(places[at]!, rarity));
  const last = agents.findIndex(({ uuid, type }) => uuid === situation.answered?.[0] && type === 'user-facing');
  const fitsNone = (): boolean => ordinary.every((at) => likeness(at) < FITS);
  const goesOn =
    last >= 0 && (situation.isReply === true || refersBack(query) || (isAlone && !isNarrow(last) && fitsNone()));
  const held = (at: number): number => (goesOn && at === last ? HELD : 0);
  const fixed = ordinary.filter((at) => isFixed(at) && likeness(at) >= FITS);
  const nearFixed = fixed.toSorted((one, other) => likeness(other) - likeness(one)).slice(0, MAX_NEAR_FIXED);
  const near = ordinary.filter((at) => (isFixed(at) ? nearFixed.includes(at) : likeness(at) >= FITS || held(at) > 0));
  const others = near.filter((at) => !isFixed(at));
  const belongs = (at: number): boolean => {
    const own = belonging(at);
    const isAhead = own >= MAY_BELONG && others.length > 0;
    return own >= BELONGS || (isAhead && others.every((other) => own >= AHEAD * belonging(other)));
  };
  const fitting = near.filter((at) => !isFixed(at) || belongs(at));
  const parts = agents.map(() => 0);
  for (const at of fitting) parts[at] = fitting.length > 1 ? 1 : clamped(likeness(at) + held(at));
  for (const [rank, one] of fitting.entries()) {
    for (const other of fitting.slice(rank + 1)) {
      const margin = clamped(fits!.between(places[one]!, places[other]!) + held(one) - held(other));
      parts[one] = Math.min(parts[one]!, margin);
      parts[other] = Math.min(parts[other]!, -margin);
    }
  }
  const least = Math.min(0, ...fitting.flatMap((at) => [parts[at]!, -likeness(at)]));
  for (const at of ordinary) {
    if (!fitting.includes(at)) parts[at] = Math.max(-1, least) - (isFixed(at) || isNarrow(at) ? APART : 0);
  }
  const best = Math.max(...ordinary.map((at) => parts[at]!));
  for (const [at, agent] of agents.entries()) {
    const detected = detectedFor(agent);
    if (detected) parts[at] = (ordinary.length > 0 ? best : 0) + clarity(detected, situation);
  }
  return { parts, fitting };
}

const allRare: Rarity = () => 1;
const clamped = (value: number): number => Math.min(1, Math.max(-1, value));
