import { signal, type Signal } from '@preact/signals';
import type { Citation, Citations, Confirmation, VisitorMessage } from '../../server/types.ts';
import { newId, type Failure, type Feedback, type MessageRef, type Question } from '../client/client.ts';
import type { Status } from './status.ts';

/** A question and its answer, with their ids on the server once known. Only widget/chat writes it. */
export interface Turn extends Question, MessageRef {
  status: Signal<Status>;
  text: Signal<string>;
  /** The piece last appended to `text`. */
  last: string;
  citations: Signal<Citations>;
  /**
   * The call that the visitor is asked to confirm, where the answer has ended with one. `until`: the last moment to confirm it, as
   * `Date.now()`; infinite once they have confirmed or declined it (`accepted`). Set before its `status`.
   */
  pending?: (Confirmation & { until: number; accepted?: boolean }) | undefined;
  /** As the server keeps it, once it has ended. Set before its `status`. */
  record?: VisitorMessage;
  /** The record of the answer that this one is to replace. */
  earlier?: VisitorMessage | undefined;
  /** What the server said of a failed answer. */
  failure?: Failure;
  /** The visitor's rating; `isLost`: sending it failed. */
  feedback: Signal<Partial<Feedback> & { isLost?: boolean }>;
}

/** Events by name, with the detail that listeners get. */
export interface Events {
  open: null;
  close: null;
  ask: { query: string };
  answer: { query: string; response: string; citations: Citations; finish_reason: string };
  citation: { marker: string; citation: Citation };
  'rate-limit': { message: string; retry_after: number };
  error: { code: string; error: string; status: number };
}

export type Emit = <Name extends keyof Events>(name: Name, detail: Events[Name]) => void;

/** A turn for a question; `id` and `at` default to a new id and now. */
export const createTurn = (
  known: { query: string } & Partial<Question> & MessageRef & Pick<Turn, 'earlier'>,
): Turn => ({
  id: newId(),
  at: Date.now(),
  status: signal<Status>({ is: 'waiting' }),
  text: signal(''),
  last: '',
  citations: signal<Citations>({}),
  feedback: signal({}),
  ...known,
});
