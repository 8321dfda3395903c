import type { Message, Session } from '../../schema/records.ts';

/** Of a list, by creation. */
export type ListOrder = 'oldest' | 'newest';

/** Of a session in which a person takes part, or is to. */
export type LiveState = 'requested';

export interface StoredSession extends Session {
  chatbot: string;
  /** Created by a key holder, who vouches for `initial_variables`. */
  by_key?: true;
  /** A key holder has made it for a visitor of theirs, and asks in it for that one. */
  by_proxy?: true;
  /** A person was asked for. */
  live?: { state: LiveState };
  /** Collected in the conversation, by the names of agents' variables; absent before the first. */
  variables?: Record<string, string | number | boolean>;
  /** With an upstream server: the uuid of its session, '' until that exists. */
  foreign?: string;
}

export interface StoredMessage extends Message {
  session: string;
  /** JSON of a call that the visitor has to confirm, or has; absent where there was none. */
  pending_call_json?: string;
}
