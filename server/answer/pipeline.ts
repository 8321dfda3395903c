import { cannedAnswer } from '../agents/agents.ts';
import { isYesOrNoAlone } from '../agents/collect/yes-no.ts';
import type { Model } from '../model/model.ts';
import { messageMeta, pageOf, searchMeta, type AnswerContext } from './context.ts';
import { errorResult, withTokens } from './message-records.ts';
import type { AnswerResult, MessageMeta, Respond } from './runs.ts';
import type { BeginBackground } from './background/background.ts';
import { checkEnd, type CitationJudge } from './citations/judge.ts';
import { createMarkerFilter } from './citations/stream-filter.ts';
import { generationError, type Fallback, type GenerationResult } from './fallback.ts';
import { answerTokens, fitContext } from './fit-context.ts';
import { replyByExample, withoutModel, type ReplyByExample } from './tools/by-example.ts';
import { buildPrompt } from './prompt.ts';
import { offerIn, replyCanned, replyToPress, replyToTalk, replyWithoutAgent } from './replies.ts';
import { readTalk } from './small-talk/talk.ts';
import { cardsTo } from './extract/page-links.ts';
import { writeQuotes } from './extract/write.ts';
import { doubtIn, type ClaimJudge } from './tools/claim.ts';
import { answerConfirmed, answerWithoutAgent, closeAnswer, languageFor, withToolRules } from './tools/with-tools.ts';
import { isWaiting } from './tools/pending.ts';
import { gatherContext, tokensIn, type GatherOptions, type SaidBefore } from './retrieve/gather.ts';
import { outcomeOf, saysUnknown, UNKNOWN_LENGTH, wouldQuote } from './outcome.ts';
import type { Run } from './run.ts';
import { isAway, repeatWhileAway } from './runs/while-away.ts';
import type { FollowUps } from './suggest/follow-ups.ts';
import { createProposalFilter } from './suggest/proposals.ts';
import { guarded } from './safety/guard.ts';
import { SourceHosts } from './safety/hosts.ts';
import { withoutForeignAddresses, withSafety } from './safety/safety.ts';

interface PipelineOptions extends GatherOptions {
  /** Without it no answer has questions to go on with. */
  followUps?: FollowUps;
  /** By the model that an agent names. */
  fallbackFor: (model: string) => Fallback;
  /** Without it, nothing runs beside the answers. */
  background?: BeginBackground;
  /** Checks the citations of the model's answers by a call of its own; without it only their words are compared. */
  judge?: CitationJudge | undefined;
  /** Checks what an answer claims to have done, where its agent could; without it nothing is said of that. */
  claims?: ClaimJudge | undefined;
}

/** Answers in this process: choose the agent, retrieve, generate or quote, cite; background agents run beside. */
export function createRespond(options: PipelineOptions): Respond {
  const hosts = new SourceHosts(options.store);
  return (question, run) => {
    const before: SaidBefore = {};
    const gather = () => gatherContext(options, hosts, question, run, before);
    const gathered = options.store.answers ? repeatWhileAway(gather, () => run.stopped) : gather();
    const failed = (error: unknown): AnswerResult => {
      const tokens = tokensIn(before);
      if (run.stopped && isAway(error)) {
        const { refusal: _refusal, ...result } = errorResult(error, question);
        return withTokens({ ...result, finish_reason: 'stopped' }, tokens);
      }
      if (tokens === 0) throw error;
      return withTokens(errorResult(error, question), tokens);
    };
    return gathered.then((context) => {
      run.collected = context.collected;
      question.trace?.begin(context);
      const answer = answerIn(context, options, run);
      if (!question.ephemeral && !question.confirmed) run.background = options.background?.(question, context);
      const { earlierTokens } = context;
      const all = earlierTokens ? Promise.resolve(answer).then((result) => withTokens(result, earlierTokens)) : answer;
      return options.followUps?.addTo(all, context) ?? all;
    }, failed);
  };
}

/** Reads the word lists and the model of wishes that the first answer of a process would wait for. */
export async function warmAnswers(): Promise<void> {
  for (const message of ['hello', 'shipping']) await readTalk(message, { name: '', canPass: false });
}

function answerIn(context: AnswerContext, options: PipelineOptions, run: Run): AnswerResult | Promise<AnswerResult> {
  const { model, fallbackFor, catalogue } = options;
  const { question, agent, tools, talk, turns } = context;
  const card = question.confirmed ? undefined : turns.at(-1)?.pending_call_json;
  if (isWaiting(card, options.clock()) && isYesOrNoAlone(question.query)) return replyToPress(context, run);
  const { confirmed } = question;
  if (confirmed)
    return agent && tools
      ? answerConfirmed({ ...context, question: { ...question, confirmed }, agent, tools }, options, run)
      : answerWithoutAgent(confirmed, languageFor(context, question), run);
  if (!agent) return talk ? replyToTalk(context, talk, options.knowledge, run) : replyWithoutAgent(context, run);
  const canned = cannedAnswer(agent);
  if (canned !== undefined) return replyCanned(context, agent, canned, run);
  // An answer that the owner wrote to this question takes precedence over the model.
  const hasOwnAnswer = context.found[0]?.match.exact;
  if (talk && !hasOwnAnswer) return replyToTalk(context, talk, options.knowledge, run);
  if (!model || hasOwnAnswer) return answerWithQuotes(context, run);
  // After the credits are reserved: a question without credits would use up the one that is let through after a pause.
  const answer = (): Promise<AnswerResult> => {
    const reason = fallbackFor(agent.meta.model).paused();
    return reason ? fallBackToQuotes(context, reason, run) : answerWithModel(context, { ...options, model }, run);
  };
  if (!question.spending) return answer();
  const reserved = question.spending.reserve(catalogue.credits(agent.meta.model));
  return reserved.then((isReserved) => (isReserved ? answer() : answerWithoutCredits(context, run)));
}

/** A function that the question is an example of, where the owner has not written the answer; else quotes. */
async function answerWithQuotes(context: AnswerContext, run: Run): Promise<AnswerResult> {
  const { question, agent, routing, query, found, tools, talk } = context;
  const { acceptedLanguages } = question;
  if (tools && agent && !found[0]?.match.exact) {
    run.onStop = () => tools.stop();
    const reply = run.stopped ? undefined : await replyByExample(tools, agent, context);
    if (reply) return replyOf(reply, context, run);
  }
  const cite = question.chatbot.meta.show_citations;
  const { citations, outcome, search } = await writeQuotes(
    { query, found, cite, acceptedLanguages, offer: offerIn(context), search: context.searchQuestion },
    run,
  );
  return {
    finish_reason: run.stopped ? 'stopped' : 'stop',
    citations,
    meta: {
      ...messageMeta(agent, routing, tools),
      ...(search ? { search } : {}),
      outcome,
    },
    ...(talk?.says === 'person' ? { requestsPerson: true } : {}),
  };
}

async function replyOf(
  { text, outcome, lookup }: ReplyByExample,
  context: AnswerContext,
  run: Run,
): Promise<AnswerResult> {
  const { question, agent, routing, tools } = context;
  run.append(withoutForeignAddresses(text, { ...context, chatbot: question.chatbot }));
  const offer = outcome === 'unknown' ? await offerIn(context)() : '';
  if (offer) run.append(`\n\n${offer}`);
  const meta: MessageMeta = { ...messageMeta(agent, routing, tools), outcome, ...(lookup ? { lookup } : {}) };
  return { finish_reason: run.stopped ? 'stopped' : 'stop', citations: {}, meta, parts: tools?.parts };
}

/** Tokens of a context from which on a model also proposes questions to go on with. */
const MIN_PROPOSING = 8000;

/** Not async: an async function would keep the whole context in memory while the model writes. */
function answerWithModel(
  context: AnswerContext,
  { model, fallbackFor, catalogue, clock, judge, claims, followUps }: PipelineOptions & { model: Model },
  run: Run,
): Promise<AnswerResult> {
  const { question, agent, routing, query, found, hosts, tools } = context;
  const { acceptedLanguages, unstreamed } = question;
  const cite = question.chatbot.meta.show_citations;
  const size = catalogue.context(agent?.meta.model ?? '');
  const { chatbot } = question;
  const { turns, found: searched, more } = { ...context, ...context.searched };
  const scene = { chatbot, page: pageOf(question), clock };
  const proposes = size >= MIN_PROPOSING && followUps?.isWanted(question) === true;
  const asked = { agent, turns, found: searched, more, query, cite, proposes, acceptedLanguages, scene };
  const given = fitContext(asked, size, tools?.reserved);
  const safe = { chatbot, agent, found: given.found, hosts };
  const { trace } = question;
  const onRemoved = cite ? trace?.onRemoved : undefined;
  const checked = cite ? judge?.filterFor({ given: given.found, query: query.text, agent, onRemoved }, run) : undefined;
  const proposals = proposes ? createProposalFilter() : undefined;
  const safeMarkers = withSafety(
    checked ?? createMarkerFilter(cite ? given.found : [], query.text, run, onRemoved),
    safe,
    run,
  );
  const markers = guarded(safeMarkers, proposals ? [proposals] : [], (text) => run.append(text));
  const fallback = fallbackFor(agent?.meta.model ?? '');
  const answersAtStart = fallback.begin();
  // For the fallback, until a reader may have received text.
  let quotable = fallback.quotes ? context : undefined;
  const onText = (piece: string): void => {
    if (run.stopped) return;
    run.append(markers.pass(piece));
    if (quotable && run.appended > 0 && !unstreamed) quotable = undefined;
    if (run.isFull) generation.stop();
  };
  const request = buildPrompt({ ...asked, ...given, maxTokens: answerTokens(size) });
  const told = markers.listening(model);
  const generation = tools ? tools.generate(told, withToolRules(request), onText) : told.generate(request, onText);
  trace?.give(given.found, request);
  run.onStop = () => generation.stop();
  if (run.stopped) generation.stop();
  // Computed now, while the model's server works, so that an open stream does not keep the passages in memory.
  const needsNoCitation = query.asksNothing() || wouldQuote(query, found);
  const offer = offerIn(context);
  const meta = { ...messageMeta(agent, routing, tools), ...searchMeta(context) };
  const language = tools && languageFor(context, question);
  const doubt = claims && doubtIn({ ...context, language });
  const nearest = cite ? cardsTo(given.found) : [];
  const credits = catalogue.credits(agent?.meta.model ?? '');
  const modelName = catalogue.name(agent?.meta.model ?? '');

  const ended: Promise<GenerationResult> = generation.done.catch(generationError);
  // Of an answer that is stopped while its citations wait for their check, what was written stays, as without one.
  const rest = (): void => (checked ? run.appendClosing(markers.rest()) : run.append(markers.rest()));
  const settled = checked ? ended.then((end) => checkEnd(checked, end, rest)) : ended;
  if (trace) void ended.then(() => trace.reached('write'));
  return settled.then(({ finish, totalTokens, checkTokens = 0, refusal }: GenerationResult) => {
    const total_tokens = (tools?.tokens ?? totalTokens) + checkTokens;
    // A question that is stopped while it waits for its turn has cost nothing; an answer that fails after calls of functions has.
    const wasAsked = refusal ? tools?.wasUsed === true : !run.stopped || total_tokens > 0;
    const cost = {
      actual_token_distribution: { total_tokens },
      credits: wasAsked ? credits : 0,
      model: modelName,
    };
    if (refusal && !run.stopped) {
      const reason = fallback.failed(refusal, answersAtStart);
      if (quotable) {
        run.restart();
        trace?.restart();
        const quoted = fallBackToQuotes(quotable, reason, run);
        if (!tools || !language) return quoted;
        return quoted.then(({ meta, ...result }) => ({
          ...result,
          meta: wasAsked ? { ...meta, ...cost } : meta,
          ...closeAnswer(tools, language, run, true),
        }));
      }
    }
    if (!refusal && !run.stopped) fallback.succeeded();
    rest();
    const closing = tools && language && closeAnswer(tools, language, run, refusal !== undefined);
    const finish_reason = run.isFull ? 'length' : finish === 'tool_calls' ? 'stop' : finish;
    const citations = markers.citations();
    const hasCitations = Object.keys(citations).length > 0;
    const text = run.read(0, UNKNOWN_LENGTH);
    const outcome = outcomeOf({
      text,
      hasFailed: refusal !== undefined,
      hasCitations,
      needsNoCitation: needsNoCitation || tools?.wasUsed === true,
    });
    const isUnknown = finish === 'stop' && !run.stopped && saysUnknown(text);
    // What ends without an answer ends with a way on.
    const needsPages = refusal !== undefined || (outcome === 'unknown' && finish === 'stop' && !run.stopped);
    const result: AnswerResult = {
      finish_reason: run.stopped ? 'stopped' : finish_reason,
      citations,
      meta: {
        ...meta,
        ...cost,
        outcome,
      },
      ...closing,
      ...(needsPages ? { parts: [...(closing?.parts ?? []), ...nearest] } : {}),
      ...(refusal ? { refusal } : {}),
      proposed: proposals?.proposed(),
    };
    if (isUnknown) return offer().then((offered) => (run.append(offered && `\n\n${offered}`), result));
    return doubt && claims ? claims.check(result, doubt, run) : result;
  });
}

async function fallBackToQuotes(context: AnswerContext, reason: string, run: Run): Promise<AnswerResult> {
  const result = await answerWithQuotes(context, run);
  run.append(withoutModel(context));
  return { ...result, meta: { ...result.meta, fallback: reason } };
}

/** MONTHLY_CREDITS are spent. */
async function answerWithoutCredits(context: AnswerContext, run: Run): Promise<AnswerResult> {
  const result = await fallBackToQuotes(context, 'quota', run);
  return { ...result, finish_reason: run.stopped ? 'stopped' : 'quota' };
}
