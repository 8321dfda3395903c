import { Refusal } from '../../schema/errors.ts';
import { messageUuid, newUuid, timestamp, type Clock } from '../../schema/ids.ts';
import type { MessageTrace } from '../../schema/trace.ts';
import type { StoredChatbot, StoredSession } from '../../store/store.ts';
import type { AnswerRuns, Question, Respond } from '../runs.ts';
import { whenEnded } from '../stream.ts';
import { AnswerTrace } from './answer-trace.ts';
import { describeTrace } from './describe.ts';

interface TraceDeps {
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
}

interface TracedQuestion extends Pick<Question, 'query' | 'variables' | 'before'> {
  chatbot: StoredChatbot;
  /** The question follows the messages of this one; absent, it is the first of a session. */
  session?: StoredSession;
  /** The id of the HTTP request, for the log. */
  request?: string;
}

/**
 * Answers a question and tells how. Nothing of it is stored but what a model has cost, and no function is called that acts.
 * Throws as `AnswerRuns.start`, and `unavailable` where the server stops meanwhile.
 */
export async function traceQuestion(
  { runs, respond, clock }: TraceDeps,
  { session, ...asked }: TracedQuestion,
): Promise<MessageTrace> {
  const trace = new AnswerTrace(clock);
  const now = timestamp(clock);
  const { uuid: chatbot } = asked.chatbot;
  const within = session ?? { uuid: newUuid(), created_at: now, modified_at: now, chatbot };
  const own = { uuid: messageUuid(within.uuid), session: within, newSession: session === undefined } as const;
  const run = runs.start({ ...asked, ...own, ephemeral: true, unstreamed: true, trace }, respond);
  const { message, refusal } = await whenEnded(run);
  trace.reached('write');
  trace.reached('check');
  if (!message) throw refusal;
  if (message.finish_reason === 'interrupted')
    throw new Refusal('unavailable', 'the server stopped before the answer was whole', { retryAfter: 5 });
  if (!trace.context) throw refusal ?? new Refusal('internal', 'the answer could not be made');
  return describeTrace(trace, trace.context, message);
}
