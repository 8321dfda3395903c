import { messageUuid, newUuid, timestamp, type Clock } from '../records.ts';
import type { Store, StoredChatbot, StoredMessage } from '../store/store.ts';
import type { Answering, Respond } from './answering.ts';

interface Rooms {
  store: Store;
  answering: Answering;
  respond: Respond;
  clock: Clock;
}

/**
 * Asks as a visitor would, in a session of its own that is deleted when the answer has ended. `onText` gets each piece as
 * it comes. Throws where the answer could not be stored.
 */
export async function askOnce(
  { store, answering, respond, clock }: Rooms,
  chatbot: StoredChatbot,
  query: string,
  onText: (piece: string) => void = () => {},
): Promise<StoredMessage> {
  const now = timestamp(clock);
  const session = { uuid: newUuid(), created_at: now, modified_at: now, chatbot: chatbot.uuid };
  const run = answering.start({ uuid: messageUuid(session.uuid), query, chatbot, session, newSession: true, respond });
  let shown = 0;
  const ended = await new Promise<NonNullable<typeof run.ended>>((done) => {
    run.attach(() => {
      onText(run.read(shown));
      shown = run.length;
      if (run.ended) done(run.ended);
    });
  });
  await store.deleteSession(session.uuid);
  if (!ended.message) throw ended.refusal;
  return ended.message;
}
