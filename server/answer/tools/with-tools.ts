import { declaredBy, staticNames, valuesOf } from '../../agents/variables.ts';
import type { SearchResult } from '../../knowledge/search/found.ts';
import type { Catalogue } from '../../model/catalogue.ts';
import type { Generated, Model, ModelRequest } from '../../model/model.ts';
import { Refusal } from '../../schema/errors.ts';
import type { Clock } from '../../schema/ids.ts';
import type { StoredAgent, StoredMessage } from '../../store/store.ts';
import type { Caller } from '../../web/call.ts';
import { createMarkerFilter } from '../citations/stream-filter.ts';
import type { SourceHosts } from '../safety/hosts.ts';
import { allowedIn, withSafety } from '../safety/safety.ts';
import type { Fallback } from '../fallback.ts';
import { citationsIn, metaIn, type AnswerResult, type MessageMeta, type Question } from '../message-records.ts';
import { pageOf } from '../context.ts';
import { answerTokens, fitContext } from '../fit-context.ts';
import { buildPrompt } from '../prompt.ts';
import type { Run } from '../run.ts';
import { doubtIn, type ClaimJudge } from './claim.ts';
import { closingOf, notCertain, notDone } from './closing.ts';
import { NO_FUNCTIONS, offerOf, TOOL_RULES } from './offer.ts';
import { failed } from './reply.ts';
import { ToolUse } from './tool-use.ts';

/** The tool functions of an answer, in this process. */

interface ToolOptions {
  catalogue: Pick<Catalogue, 'context'>;
  caller: Caller;
  answerTimeout?: number;
  clock: Clock;
}

/** Undefined where the agent that answers has no enabled function, and no call of one was confirmed. */
export function toolsFor(
  agent: StoredAgent | undefined,
  agents: readonly StoredAgent[],
  question: Question,
  { catalogue, caller, answerTimeout, clock, hosts }: ToolOptions & { hosts: SourceHosts },
  run: Run,
): ToolUse | undefined {
  if (agent?.type !== 'user-facing') return undefined;
  const variables = declaredBy([agent, ...agents]);
  const hidden = staticNames(variables);
  const offer = offerOf(agent, hidden) ?? (question.confirmed ? NO_FUNCTIONS : undefined);
  if (!offer) return undefined;
  return new ToolUse({
    agent,
    offer,
    context: catalogue.context(agent.meta.model),
    values: valuesOf([agent, ...agents], question.session),
    variables,
    hidden,
    collected: new Set(Object.keys(question.session.variables ?? {}).filter((name) => !hidden.has(name))),
    // A key holder, and a question that is not stored, have nobody who could confirm.
    canAsk: question.visitor !== undefined && !question.ephemeral && !question.confirmed,
    // Nobody wants anything done by a question that is asked to see how it is answered.
    onlyReads: question.trace !== undefined,
    dryRun: question.session.dry_run === true,
    caller,
    hosts: allowedIn({ chatbot: question.chatbot, found: [], hosts }),
    timeout: answerTimeout,
    clock,
    onStep: (name) => run.setStep(name),
  });
}

export function withToolRules(request: ModelRequest): ModelRequest {
  const [system, ...others] = request.messages;
  if (system?.role !== 'system') return request;
  return { ...request, messages: [{ ...system, content: `${system.content}\n\n${TOOL_RULES}` }, ...others] };
}

/** The language of what is said of calls. */
export const languageFor = (
  { query, found }: SearchResult,
  { acceptedLanguages }: Question,
): ReturnType<SearchResult['query']['language']['replyLanguage']> =>
  query.language.replyLanguage(found, acceptedLanguages);

/** Writes what is to be said of the calls behind the answer. `isUntold` as in `closingOf`. */
export function closeAnswer(
  tools: ToolUse,
  language: ReturnType<typeof languageFor>,
  run: Run,
  isUntold = false,
): Pick<AnswerResult, 'pending' | 'parts'> {
  // Nobody is asked to confirm a call of an answer that they stopped.
  if (run.stopped) tools.pending = undefined;
  run.appendClosing(closingOf(tools, language, isUntold));
  const { pending, parts } = tools;
  return pending ? { parts, pending: { ...pending, ifCutOff: notCertain(language, pending.shown.name) } } : { parts };
}

interface ConfirmedContext extends SearchResult {
  question: Question & Required<Pick<Question, 'confirmed'>>;
  agent: StoredAgent;
  turns: StoredMessage[];
  tools: ToolUse;
  hosts: SourceHosts;
}

const NO_AGENT = 'not called: the agent was disabled or removed meanwhile';

/** Ends an answer whose agent was deleted or disabled while its call waited: the call is not made, and what was there stays. */
export function answerWithoutAgent(
  { pending, before }: NonNullable<Question['confirmed']>,
  language: ReturnType<typeof languageFor>,
  run: Run,
): AnswerResult {
  run.appendClosing(notDone(language, pending.shown.name));
  const meta = metaIn(before);
  const refused = { name: pending.shown.function, content: failed(NO_AGENT).content };
  return {
    finish_reason: run.stopped ? 'stopped' : 'stop',
    citations: citationsIn(before),
    meta: { ...meta, functions_called: [...meta.functions_called, refused] },
  };
}

interface ConfirmedOptions {
  catalogue: Pick<Catalogue, 'context'>;
  model: Model | undefined;
  fallbackFor: (model: string) => Fallback;
  claims?: ClaimJudge | undefined;
  clock: Clock;
}

/**
 * Goes on with an answer that has ended with a call to be confirmed: makes the call, or tells the model that the visitor
 * declined, and lets it answer. Where no model does, the answer says itself what was done.
 */
export async function answerConfirmed(
  context: ConfirmedContext,
  { model, fallbackFor, catalogue, claims, clock }: ConfirmedOptions,
  run: Run,
): Promise<AnswerResult> {
  const { question, agent, turns, tools, hosts, query, found } = context;
  const { pending, isAccepted, before } = question.confirmed;
  const language = languageFor(context, question);
  run.onStop = () => tools.stop();
  if (run.stopped) tools.stop();
  const history = await tools.confirm(pending, isAccepted);
  const { prompt, markers } = promptOf();
  const fallback = fallbackFor(agent.meta.model);
  const paused = model ? fallback.paused() : undefined;
  const answered = model && paused === undefined ? await generate(model) : { reason: paused };
  run.append(markers.rest());
  const isUntold = answered.refusal !== undefined || answered.finish === undefined;
  const isError = answered.refusal !== undefined && !fallback.quotes;
  closeAnswer(tools, language, run, isUntold);
  const finish_reason = run.isFull || answered.finish === 'length' ? 'length' : 'stop';
  const result: AnswerResult = {
    finish_reason: run.stopped ? 'stopped' : isError ? 'error' : finish_reason,
    citations: citationsIn(before),
    meta: metaOf(before, tools, answered.reason),
    parts: tools.parts,
    ...(isError ? { refusal: answered.refusal } : {}),
  };
  const doubt = isUntold ? undefined : doubtIn({ ...context, language });
  return doubt && claims ? claims.check(result, doubt, run) : result;

  /** Without markers: the passages may be others than those that the text so far cites. */
  function promptOf() {
    const earlier = turns.filter(({ uuid }) => uuid !== question.uuid);
    const { acceptedLanguages, chatbot } = question;
    const size = catalogue.context(agent.meta.model);
    const scene = { chatbot, page: pageOf(question), clock };
    const asked = { agent, turns: earlier, found, query, cite: false, acceptedLanguages, scene };
    const given = fitContext(asked, size, tools.reserved);
    const request = withToolRules(buildPrompt({ ...asked, ...given, maxTokens: answerTokens(size) }));
    const prompt = { ...request, messages: [...request.messages, ...history] };
    return {
      prompt,
      markers: withSafety(createMarkerFilter([], query.text, run), { chatbot, agent, found, hosts }, run),
    };
  }

  async function generate(by: Model): Promise<Answered> {
    const answersAtStart = fallback.begin();
    try {
      const { finish } = await tools.generate(markers.listening(by), prompt, (piece) => {
        run.append(markers.pass(piece));
        if (run.isFull) tools.stop();
      }).done;
      if (!run.stopped) fallback.succeeded();
      return { finish };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { refusal: error, reason: run.stopped ? undefined : fallback.failed(error, answersAtStart) };
    }
  }
}

/** With the reason why no model answered, or not to its end. */
interface Answered {
  finish?: Generated['finish'];
  refusal?: Refusal;
  reason?: string | undefined;
}

/** Of the whole message. Its credits were spent with its first part. */
function metaOf(before: StoredMessage, tools: ToolUse, fallback: string | undefined): MessageMeta {
  const first = metaIn(before);
  return {
    ...first,
    actual_token_distribution: { total_tokens: first.actual_token_distribution.total_tokens + tools.tokens },
    functions_called: [...first.functions_called, ...tools.called],
    ...(fallback === undefined ? {} : { fallback }),
  };
}
