import type { StoredMessage, StoredSession } from './session-records.ts';

/** The answers that are being made by the processes that share a store. */
export interface SharedAnswers {
  /**
   * Stores a message as `saveMessage` does, for this process to answer. False where one of its uuid is there, which another
   * process may have stored at the same moment, or where its session is gone.
   */
  begin(message: StoredMessage, session?: StoredSession): Promise<boolean>;
}
