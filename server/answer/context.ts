import type { RoutingRecord } from '../agents/routing/choose.ts';
import type { Values } from '../agents/variables.ts';
import type { QuotedPassage, SearchResult } from '../knowledge/search/found.ts';
import type { StoredAgent, StoredMessage } from '../store/store.ts';
import { citationsIn, metaIn, NO_META, type MessageMeta, type Question } from './message-records.ts';
import type { SearchQuestion } from './extract/several.ts';
import type { Rewritten } from './retrieve/rewrite.ts';
import type { SourceHosts } from './safety/hosts.ts';
import type { Talk } from './small-talk/talk.ts';
import type { ToolUse } from './tools/tool-use.ts';

/** All that an answer is made of. */
export interface AnswerContext extends SearchResult {
  /** Its session with what was collected from the question itself. */
  question: Question;
  collected: Values | undefined;
  agents: StoredAgent[];
  agent: StoredAgent | undefined;
  routing: RoutingRecord | undefined;
  /** Tokens of calls of a model before the answer: the choice of the agent, and searches that it wrote. */
  earlierTokens: number;
  /** Absent where the message itself is the search. */
  rewritten: Rewritten | undefined;
  /** What a model gets where it wrote searches. Quotes are from what the message itself finds. */
  searched: Pick<SearchResult, 'found' | 'more'> | undefined;
  turns: StoredMessage[];
  /** Absent where the agent has no functions. */
  tools: ToolUse | undefined;
  /** The uuid of the tool function that the message before lacked a value for, where this message gives it and says nothing else. */
  continuedLookup?: string | undefined;
  /** Where the message is small talk, and the agent has no message of its own for it. */
  talk: Talk | undefined;
  /** Of the sources. */
  hosts: SourceHosts;
  /** Searches what the agent answers from, by words alone. */
  searchWords: (words: string) => Promise<SearchResult>;
  /** Searches for one question of the message, in what the agent answers from. */
  searchQuestion: SearchQuestion;
  /** A human-escalation agent is enabled. */
  canPass: boolean;
}

/**
 * The questions before that were answered from the sources. The others, such as spam or a wish for a person, say nothing of
 * what a follow-up is about.
 */
export function searchedQuestions(turns: StoredMessage[], agents: StoredAgent[]): string[] {
  const others = new Set(agents.filter(({ type }) => type !== 'user-facing').map(({ uuid }) => uuid));
  const wasSearched = (turn: StoredMessage): boolean => {
    const { active_agent, routing } = metaIn(turn);
    return !others.has(active_agent.uuid) && routing?.detected === undefined;
  };
  return turns.filter(wasSearched).map(({ query }) => query);
}

/** What the last answer that quoted something quoted, and the questions after it which nothing answered. */
export function lastQuoted(turns: StoredMessage[]): { quoted: QuotedPassage[]; unanswered: string[] } {
  const unanswered: string[] = [];
  for (const turn of turns.toReversed()) {
    const isUnknown = metaIn(turn).outcome === 'unknown';
    const citations = isUnknown ? [] : Object.values(citationsIn(turn));
    const quoted = citations.map(({ data_source_uuid: source, text }) => ({ source, text }));
    if (quoted.length > 0) return { quoted, unanswered };
    if (isUnknown) unanswered.push(turn.query);
  }
  return { quoted: [], unanswered };
}

/** The page that the browser says the visitor is on; without word of it, where the conversation began. */
export function pageOf({ variables, session }: Pick<Question, 'variables' | 'session'>): string | undefined {
  const sent = variables?.['page'] ?? session.initial_variables?.['page'];
  return typeof sent === 'string' ? sent : undefined;
}

export const searchMeta = ({ rewritten }: AnswerContext): Pick<MessageMeta, 'search'> =>
  rewritten ? { search: { why: rewritten.why, queries: rewritten.queries } } : {};

export const messageMeta = (agent: StoredAgent | undefined, routing?: RoutingRecord, tools?: ToolUse): MessageMeta => ({
  ...NO_META,
  ...(tools ? { functions_called: tools.called } : {}),
  active_agent: { uuid: agent?.uuid ?? '', name: agent?.name ?? '' },
  ...(routing ? { routing } : {}),
});
