import { sourcesFor } from '../../agents/agents.ts';
import { collect } from '../../agents/collect/collect.ts';
import type { AgentRouter, Routed } from '../../agents/routing/router.ts';
import { collectedBy, newValues, withValues } from '../../agents/variables.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Catalogue } from '../../model/catalogue.ts';
import type { Model } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import type { Store, StoredMessage } from '../../store/store.ts';
import type { Caller } from '../../web/call.ts';
import { lastQuoted, pageOf, searchedQuestions, type AnswerContext } from '../context.ts';
import { withoutReplaced } from '../message-records.ts';
import { MAX_TURNS } from '../prompt.ts';
import { namesThing } from '../replies.ts';
import type { Run } from '../run.ts';
import type { Question } from '../runs.ts';
import type { SourceHosts } from '../safety/hosts.ts';
import { readTalk } from '../small-talk/talk.ts';
import { isGiven, lookupBefore } from '../tools/by-example.ts';
import { toolsFor } from '../tools/with-tools.ts';
import { merge } from './merge.ts';
import type { QueryRewriter } from './rewrite.ts';

export interface GatherOptions {
  store: Store;
  knowledge: Knowledge;
  router: AgentRouter;
  /** Without one, answers quote the sources. */
  model: Model | undefined;
  /** Without it every message is its own search. */
  rewriter?: QueryRewriter | undefined;
  catalogue: Catalogue;
  clock: Clock;
  /** Calls tool functions. */
  caller: Caller;
  /** Milliseconds for an answer with calls of functions; none by default. */
  answerTimeout?: number;
}

/** What models have said to a question: it is not asked for again where the store is lost after it. */
export interface SaidBefore {
  routed?: Routed;
  rewritten?: Awaited<ReturnType<QueryRewriter['rewrite']>>;
}

/** What that took. */
export const tokensIn = ({ routed, rewritten }: SaidBefore): number => (routed?.tokens ?? 0) + (rewritten?.tokens ?? 0);

/** Chooses the agent of a question and searches for it. `before` is filled. */
export async function gatherContext(
  options: GatherOptions,
  hosts: SourceHosts,
  asked: Question,
  run: Run,
  before: SaidBefore = {},
): Promise<AnswerContext> {
  const { store, knowledge, router, rewriter } = options;
  const { uuid } = asked.chatbot;
  const [agents, turns] = await Promise.all([store.agents(uuid), earlierTurns(store, asked)]);
  const lookup = lookupBefore(turns);
  const written = asked.confirmed ? undefined : collect(agents, asked.query, turns.at(-1)?.response, lookup?.needs);
  const sent = newValues(asked.variables, agents, asked.session);
  const collected = sent || written ? { ...written, ...sent } : undefined;
  const continuedLookup =
    lookup && collected && isGiven(lookup, asked.query, collected, agents) ? lookup.function : undefined;
  const isReply = continuedLookup !== undefined;
  const question = collected ? { ...asked, session: collectedBy(asked.session, collected) } : asked;
  const canPass = agents.some(({ type, enabled }) => type === 'human-escalation' && enabled === 1);
  const lastAnswer = turns.at(-1)?.response;
  const hasModel = options.model !== undefined;
  const said = isReply
    ? undefined
    : await readTalk(question.query, { name: question.chatbot.name, lastAnswer, canPass, hasModel });
  const asking = question.confirmed?.pending.agent;
  const { agent: chosen, record: routing } = asking
    ? { agent: agents.find((one) => one.uuid === asking && one.enabled === 1), record: undefined }
    : (before.routed ??= await router.route({ ...question, isReply }, agents, turns, said?.isLike, run));
  asked.trace?.reached('agent');
  const agent = chosen && withValues(chosen, agents, question.session);
  const tools = toolsFor(agent, agents, question, { ...options, hosts }, run);
  const earlier = searchedQuestions(turns, agents);
  const sources = agent?.type === 'user-facing' ? sourcesFor(agent) : NO_SOURCES;
  const seemsTalk = said !== undefined && routing?.detected === 'small_talk';
  // The language of the site is all that small talk needs of the search.
  const { trace } = question;
  const asksModel = hasModel && agent?.type === 'user-facing' && !seemsTalk && !asking;
  const upTo = asksModel ? MAX_GIVEN : undefined;
  const page = pageOf(question);
  const within = { sources, page };
  const scope = {
    ...within,
    forQuotes: !asksModel,
    forReply: true,
    earlier,
    ...lastQuoted(turns),
    wordsAlone: seemsTalk,
    upTo,
    onTrace: trace?.onSearch,
  };
  const own = await knowledge.search(uuid, question.query, scope);
  const { query, found, more } = own;
  const isTalk = seemsTalk && !namesThing(said, { question, earlier, query, found });
  const message = { ...own, turns, spending: question.spending };
  before.rewritten ??= asksModel && rewriter ? await rewriter.rewrite({ ...message, agent }, run) : undefined;
  const { rewritten } = before;
  const searches = rewritten?.queries.map((text) => knowledge.search(uuid, text, { ...within, upTo }));
  return {
    question,
    collected,
    agents,
    agent,
    routing,
    earlierTokens: tokensIn(before),
    turns,
    tools,
    continuedLookup,
    query,
    found,
    more,
    rewritten,
    searched: searches?.length ? merge(await Promise.all(searches), own) : undefined,
    hosts,
    searchWords: (words) => knowledge.search(uuid, words, { sources, wordsAlone: true }),
    searchQuestion(text, before, wordsAlone) {
      const wider = { ...within, earlier: [...earlier, ...before], wordsAlone };
      return knowledge.search(uuid, text, { ...wider, forQuotes: true, forReply: true });
    },
    canPass,
    talk: isTalk ? said : undefined,
  };
}

/** Passages that a model gets at most, as far as its context has room. */
const MAX_GIVEN = 20;
const NO_SOURCES: ReadonlySet<string> = new Set();

async function earlierTurns(store: Store, question: Question): Promise<StoredMessage[]> {
  const { uuid, session, newSession, before } = question;
  if (newSession) return [];
  if (!before) return withoutReplaced(await store.lastMessages(session.uuid, MAX_TURNS), uuid);
  const all = await store.messages(session.uuid);
  const place = all.findIndex((message) => message.uuid === before.uuid);
  const whole = all.slice(0, place).filter(({ response, finish_reason }) => response !== '' && finish_reason !== '');
  return withoutReplaced(whole.slice(-MAX_TURNS), before.uuid);
}
