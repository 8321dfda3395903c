import { signal, type Signal } from '@preact/signals';
import type { Citation, Citations } from '../../server/types.ts';
import { newId, type Feedback, type MessageRef, type Question } from '../client/client.ts';
import type { Status } from './status.ts';

/** One question with its answer, and where it is on the server as far as that is known. Read it anywhere; only the chat writes it. */
export interface Turn extends Question, MessageRef {
  status: Signal<Status>;
  text: Signal<string>;
  /** The piece that the text has just grown by. */
  last: string;
  citations: Signal<Citations>;
  /** What the visitor thinks of it; `isLost`: it could not be sent. */
  feedback: Signal<Partial<Feedback> & { isLost?: boolean }>;
}

/** What a page can listen to, with what its listeners are given. */
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

/** A question, asked now where no more is known of it. */
export const createTurn = (known: { query: string } & Partial<Question> & MessageRef): Turn => ({
  id: newId(),
  at: Date.now(),
  status: signal<Status>({ is: 'waiting' }),
  text: signal(''),
  last: '',
  citations: signal<Citations>({}),
  feedback: signal({}),
  ...known,
});
