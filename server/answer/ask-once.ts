import { messageUuid, newUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { StoredChatbot, StoredMessage } from '../store/store.ts';
import type { AnswerRuns, Question, Respond } from './runs.ts';

interface AskOnceOptions {
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
}

/**
 * Asks as a visitor would, in a session of its own, and stores nothing. `onText` gets each piece as it comes.
 */
export async function askOnce(
  { runs, respond, clock }: AskOnceOptions,
  chatbot: StoredChatbot,
  query: string,
  onText?: (piece: string) => void,
): Promise<StoredMessage> {
  const now = timestamp(clock);
  const session = { uuid: newUuid(), created_at: now, modified_at: now, chatbot: chatbot.uuid };
  const uuid = messageUuid(session.uuid);
  const question: Question = { uuid, query, chatbot, session, newSession: true, ephemeral: true };
  const run = runs.start(onText ? question : { ...question, unstreamed: true }, respond);
  let shown = 0;
  const ended = await new Promise<NonNullable<typeof run.ended>>((done) => {
    run.attach(() => {
      onText?.(run.read(shown));
      shown = run.length;
      if (run.ended) done(run.ended);
    });
  });
  if (!ended.message) throw ended.refusal;
  return ended.message;
}
