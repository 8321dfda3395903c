import type { Respond } from '../../answer/runs.ts';
import { readUuid } from '../../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../../store/store.ts';
import type { ErrorCode } from '../../types.ts';

/** Where answers of the chat API come from: this process, or another server with the same interface. */
export interface Upstream {
  /**
   * `id` as the page spells it, with dashes or without; `address` returns that of the visitor. `undefined` where there is no
   * such chatbot.
   */
  chatbot(id: string, address: () => string): Promise<StoredChatbot | undefined>;
  respond: Respond;
  /** Additional fields of a new session. */
  readonly newSession: Pick<StoredSession, 'foreign'>;
  /** Deletes the upstream's own record of a session, given by its uuid here; where that cannot be read, there is none to be found. */
  deleteSession(session: string): Promise<void>;
  /** The code of a failed answer whose record does not say it. */
  readonly failure: ErrorCode;
  close(): Promise<void>;
}

export const originsOf = ({ widget }: StoredChatbot): readonly string[] => widget?.allowed_origins ?? [];

export function localUpstream({ store, respond }: { store: Store; respond: Respond }): Upstream {
  return {
    async chatbot(id) {
      const uuid = readUuid(id);
      return uuid === undefined ? undefined : store.chatbot(uuid);
    },
    respond,
    newSession: {},
    async deleteSession() {},
    failure: 'model_failed',
    async close() {},
  };
}
