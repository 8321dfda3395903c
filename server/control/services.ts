import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AgentRouter } from '../agents/routing/router.ts';
import { createBackground } from '../answer/background/background.ts';
import { CitationJudge } from '../answer/citations/judge.ts';
import { ClaimJudge } from '../answer/tools/claim.ts';
import { Budget } from '../answer/budget.ts';
import { createRespond, warmAnswers } from '../answer/pipeline.ts';
import { QueryRewriter } from '../answer/retrieve/rewrite.ts';
import { createDraftGap } from '../answer/gaps/draft.ts';
import { AnswerRuns, type Respond } from '../answer/runs.ts';
import { createFallbacks } from '../answer/fallback.ts';
import { checkableEmbedder, checkableModel } from '../answer/trace/check-models.ts';
import { countUsage } from '../answer/spending.ts';
import { Suggestions } from '../answer/suggest/suggestions.ts';
import type { Config } from '../config.ts';
import type { Health } from '../health/health.ts';
import { createAudit } from '../http/audit.ts';
import { createTakeVisit } from '../http/rate-limit.ts';
import { createKnowledge } from '../knowledge/crawl/knowledge.ts';
import { RunningCrawls } from '../knowledge/crawl/running-crawls.ts';
import { createSites } from '../knowledge/crawl/sites.ts';
import { Ingestion } from '../knowledge/ingest/ingest.ts';
import { createCatalogue } from '../model/catalogue.ts';
import { boundedModel } from '../model/bounded.ts';
import type { Embedder } from '../model/model.ts';
import { createOpenAi } from '../model/openai.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { Store } from '../store/store.ts';
import { createCaller } from '../web/call.ts';
import { createWeb, type WebOptions } from '../web/web.ts';

interface ServiceDeps {
  store: Store;
  clock: Clock;
  log: Logger;
  health: Health;
  /** The server itself, which its own crawls may not fetch. */
  self?: WebOptions['self'];
}

/** Creates what ingests and answers, from the configuration; for the server, and for a command where none runs. */
export async function createServices(config: Config, { store, clock, log, health, self }: ServiceDeps) {
  const { fetchAllow: allow, publicUrl } = config;
  const caller = createCaller({ allow, self });
  const web = createWeb({ allow, self, about: publicUrl && `${publicUrl}/bot` });
  const embedder = await openEmbedder(config.embeddings);
  const onChange = (chatbot: string): void => suggestions.changed(chatbot);
  const ingestion = new Ingestion({ store, web, clock, log, health, embedder, onChange });
  const crawls = new RunningCrawls();
  const sites = createSites({ store, ingestion, crawls, web, clock, log });
  const knowledge = createKnowledge(ingestion, crawls);
  const catalogue = createCatalogue(config.catalogue);
  const { nameAtServer } = catalogue;
  const limits = { whole: config.answerTimeout, firstToken: config.firstTokenTimeout };
  const unbounded = config.llm && createOpenAi({ ...config.llm, nameAtServer, limits, log });
  const { modelConcurrency } = config;
  const model = unbounded && modelConcurrency ? boundedModel(unbounded, modelConcurrency) : unbounded;
  const serverModels = [
    ...(config.llm && model ? [checkableModel(config.llm, model)] : []),
    ...(embedder ? [checkableEmbedder(config.embeddings === 'local' ? undefined : config.embeddings, embedder)] : []),
  ];
  const isIngesting = (chatbot: string): boolean => ingestion.isBusy(chatbot);
  const fallbackFor = createFallbacks({ health, clock, log, quotes: config.fallback }, nameAtServer);
  const paused = (name: string): string | undefined => fallbackFor(name).pausedFor();
  let isEnding = false;
  const counting = { store, log, isEnding: () => isEnding };
  const background = createBackground({
    model,
    paused,
    log,
    countTokens(chatbot, name, tokens) {
      const cost = { credits: 0, model: catalogue.name(name), actual_token_distribution: { total_tokens: tokens } };
      void countUsage(counting, { chatbot, ephemeral: true }, timestamp(clock), cost);
    },
  });
  const mayAsk = (name: string): boolean => paused(name) === undefined;
  const asking = model && { model, mayAsk, clock, credits: catalogue.credits };
  const router = new AgentRouter(store, knowledge, asking);
  const suggestions = new Suggestions({
    store,
    knowledge,
    router: router.withoutReferee(),
    isIngesting,
    hasModel: model !== undefined,
    log,
  });
  const parts = {
    store,
    knowledge,
    router,
    model,
    rewriter: asking && new QueryRewriter(asking),
    fallbackFor,
    catalogue,
    background,
    claims: model && new ClaimJudge(model, clock),
    judge: model && config.modelChecksCitations ? new CitationJudge(model, clock) : undefined,
    caller,
    answerTimeout: config.answerTimeout,
    clock,
  };
  const answer = createRespond({ ...parts, followUps: suggestions.followUps });
  const { monthlyCredits: monthly } = config;
  const budget = monthly === undefined ? undefined : new Budget({ store, log, monthly });
  const limit = (one: Respond): Respond => budget?.limit(one) ?? one;
  const respond = limit(answer);
  const runs = new AnswerRuns({ store, clock, log, maxRuns: config.maxAnswers });
  const draftGap = model && createDraftGap({ store, knowledge, runs, model, catalogue, clock, limit });
  return {
    web,
    knowledge,
    sites,
    catalogue,
    caller,
    router,
    respond,
    runs,
    draftGap,
    suggestions,
    serverModels,
    takeUse: createTakeVisit({ store, clock }, 'use'),
    audit: createAudit({ store, clock, log }),
    /** Beside other work: what first questions would wait for. Never rejects; `/readyz` says meanwhile that it is under way. */
    async warm(): Promise<void> {
      const indexes = knowledge.warm();
      // Requests that wait for the end of the start go first.
      await setImmediate();
      await warmAnswers();
      await indexes;
    },
    /** Answers under way are interrupted; the store is left open. */
    async close(): Promise<void> {
      isEnding = true;
      await runs.interrupt();
      suggestions.close();
      await sites.close();
      await knowledge.close();
      await Promise.all([model?.close(), embedder?.close(), web.close(), caller.close()]);
    },
  };
}

/** Each is imported only where it is used. Throws where the packages of the local one are not installed. */
async function openEmbedder(embeddings: Config['embeddings']): Promise<Embedder | undefined> {
  if (embeddings === 'local') return (await import('../model/local/embedder.ts')).createLocalEmbedder();
  return embeddings && (await import('../model/embeddings.ts')).createEmbedder(embeddings);
}
