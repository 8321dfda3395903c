import { sourcesFor } from '../../agents/agents.ts';
import { loadDetectors } from '../../agents/routing/detectors.ts';
import type { AgentRouter } from '../../agents/routing/router.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { isCommon } from '../../knowledge/text/synonyms.ts';
import { rootOf } from '../../knowledge/text/tokenizer.ts';
import type { StoredAgent, StoredChatbot, StoredSource } from '../../store/store.ts';
import { confidence } from '../extract/select.ts';
import { outcomeOf } from '../extract/several.ts';
import { answerTo } from '../extract/write.ts';
import { readTalk } from '../small-talk/talk.ts';
import { byRank, type Candidate } from './candidates.ts';

export interface ChooseOptions {
  knowledge: Pick<Knowledge, 'search'>;
  /** Without a model to refer to. */
  router: Pick<AgentRouter, 'route'>;
}

const MAX_SUGGESTIONS = 3;
/** Of each kind, so that a large site costs no more than a small one. */
const MAX_TRIED = 12;
/** What a step away from the middle of the site counts beside certainty, which is 0 to 1. */
const STEP = 0.1;
/** From -1 to 1: shops have “Gift vouchers”, but no page asks to ignore instructions. */
const MAX_SPAM = 0.2;

interface Answered extends SureAnswer {
  candidate: Candidate;
}

interface SureAnswer {
  score: number;
  /** The words that it is about. */
  subject: string[];
  /** Of which section the first quote is. */
  section: string;
}

/**
 * The candidates that are answered surely, from their own section and without a model, by the agent that a visitor's question
 * would get: the best, from different sources and on different subjects as far as there are. A better kind wins; within it
 * certainty, and how central the page is.
 */
export async function chooseSuggestions(
  options: ChooseOptions,
  chatbot: StoredChatbot,
  agents: StoredAgent[],
  candidates: Candidate[],
): Promise<Candidate[]> {
  const chosen: Answered[] = [];
  const others: Answered[] = [];
  for (const kind of new Set(candidates.map((one) => one.kind))) {
    const answered: Answered[] = [];
    for (const candidate of candidates.filter((one) => one.kind === kind).slice(0, MAX_TRIED)) {
      await new Promise(setImmediate);
      const { text, heading, source, distance } = candidate;
      const sure = await answerSurely({ text, near: { heading, source } }, options, chatbot, agents);
      if (sure) answered.push({ candidate, ...sure, score: sure.score - STEP * distance });
    }
    answered.sort((one, other) => other.score - one.score || byRank(one.candidate, other.candidate));
    for (const one of answered) (chosen.some((other) => areAlike(one, other)) ? others : chosen).push(one);
    if (chosen.length >= MAX_SUGGESTIONS) break;
  }
  for (const one of others) if (chosen.every((other) => !areOfOneSource(one, other))) chosen.push(one);
  return chosen.slice(0, MAX_SUGGESTIONS).map(({ candidate }) => candidate);
}

const areOfOneSource = (one: Answered, other: Answered): boolean =>
  one.candidate.source.uuid === other.candidate.source.uuid;

/** Most pages of a site may have its subject's name. */
const areAlike = (one: Answered, other: Answered): boolean => {
  const shared = one.subject.filter((word) => other.subject.includes(word)).length;
  return areOfOneSource(one, other) || shared * 2 >= Math.min(one.subject.length, other.subject.length);
};

/** The section that a heading is of. */
export interface Near {
  heading: string;
  source: Pick<StoredSource, 'uuid' | 'title'>;
}

/** Undefined where the question is not to be suggested; with `near` it is to be answered from that section. */
export async function answerSurely(
  { text, near }: { text: string; near?: Near | undefined },
  { knowledge, router }: ChooseOptions,
  chatbot: StoredChatbot,
  agents: StoredAgent[],
): Promise<SureAnswer | undefined> {
  const canPass = agents.some(({ type, enabled }) => type === 'human-escalation' && enabled === 1);
  const { spam } = await loadDetectors();
  if (spam(text) > MAX_SPAM || (await readTalk(text, { name: chatbot.name, canPass }))) return undefined;
  const { agent } = await router.route(newQuestion(chatbot, text), agents, [], undefined, NEVER_STOPPED);
  if (agent?.type !== 'user-facing') return undefined;
  const { query, found } = await knowledge.search(chatbot.uuid, text, { sources: sourcesFor(agent), wordsAlone: true });
  const subject = subjectOf(query);
  if (query.isFollowUp || query.several.questions.length > 1 || subject.length === 0) return undefined;
  const answer = answerTo(query, found);
  if (outcomeOf(answer) !== 'answered' || answer.isFromSeveralPages) return undefined;
  const isOf = ({ heading, source }: Near, { headings, source: page }: Found): boolean =>
    headings.includes(heading) && (page.uuid === source.uuid || page.title === source.title);
  if (near && !answer.pieces.some((piece) => isOf(near, found[piece.found]!))) return undefined;
  const { source, headings } = found[answer.pieces[0]!.found]!;
  return { score: confidence(query, found), subject, section: sectionKey(source.uuid, headings.at(-1)) };
}

export const sectionKey = (source: string, heading = ''): string => `${source} ${heading}`;

/** None for “Get started”, “Need more help?”. */
const subjectOf = ({ terms, implied }: Query): string[] =>
  terms.slice(0, implied).flatMap(({ word }) => (isCommon(rootOf(word)) ? [] : rootOf(word)));

const NEVER_STOPPED = { stopped: false, onStop: undefined };

const newQuestion = ({ uuid: chatbot, created_at }: StoredChatbot, query: string) => ({
  query,
  session: { uuid: '', created_at, modified_at: created_at, chatbot },
  newSession: true,
});
