import type { Respond } from '../../answer/runs.ts';
import { readUuid } from '../../schema/ids.ts';
import type { Store, StoredChatbot, StoredSession } from '../../store/store.ts';
import type { ErrorCode } from '../../types.ts';

/** Where the door's answers come from: this process, or any server that speaks the interface. */
export interface Upstream {
  /**
   * `written` is the identifier as the visitor's page has it, `address` whose request it is. `undefined` where there is
   * no such chatbot.
   */
  chatbot(written: string, address: () => string): Promise<StoredChatbot | undefined>;
  respond: Respond;
  /** What a new session holds beyond its own record. */
  readonly newSession: Pick<StoredSession, 'foreign'>;
  /** Deletes what the upstream itself keeps of a session. */
  deleteSession(session: StoredSession): Promise<void>;
  /** The code of a failed answer whose record does not say it. */
  readonly failure: ErrorCode;
  close(): Promise<void>;
}

export const originsOf = ({ widget }: StoredChatbot): readonly string[] => widget?.allowed_origins ?? [];

export function localUpstream({ store, respond }: { store: Store; respond: Respond }): Upstream {
  return {
    async chatbot(written) {
      const uuid = readUuid(written);
      return uuid === undefined ? undefined : store.chatbot(uuid);
    },
    respond,
    newSession: {},
    async deleteSession() {},
    failure: 'model_failed',
    async close() {},
  };
}
