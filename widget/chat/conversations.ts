import type { PastConversation } from '../browser/storage.ts';
import type { Failure } from '../client/client.ts';
import type { Chat } from './types.ts';

/** This visitor's conversations: the one shown, if it is on the server, then earlier ones, the newest first. */
export function listConversations({ storage, turns }: Chat): PastConversation[] {
  const { session, last, past = [] } = storage.read();
  return session ? [{ session, last, title: turns.peek()[0]?.query, at: Date.now() }, ...past] : past;
}

const removeEntry = ({ storage }: Chat, session: string): void => {
  const past = storage.read().past?.filter((one) => one.session !== session);
  storage.write({ past: past?.[0] && past });
};

/** Shows an earlier conversation; the one shown becomes an earlier one. */
export function openConversation(chat: Chat, { session, last }: PastConversation): void {
  if (session === chat.storage.read().session) return;
  chat.startOver();
  removeEntry(chat, session);
  chat.storage.write({ session, last });
  chat.history.value = 'loading';
  void chat.restore();
}

/** Deletes a conversation on the server, then here; resolves with whether that worked, never rejects. */
export async function deleteConversation(chat: Chat, session: string): Promise<boolean> {
  try {
    await chat.client.forget(session);
  } catch (fault) {
    // A chatbot that is private has it still.
    if (!/such session/.test(`${(fault as Failure).error}`)) {
      chat.report(fault);
      return false;
    }
  }
  if (session === chat.storage.read().session) chat.startOver();
  removeEntry(chat, session);
  return true;
}
