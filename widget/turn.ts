import { signal, type Signal } from '@preact/signals';
import type { Citation, Citations } from '../server/types.ts';
import { newId, type Feedback } from './client.ts';
import type { Known } from './resume.ts';
import type { Run } from './run.ts';
import type { Status } from './status.ts';

/** One question with its answer. Read it anywhere; only the chat writes it. */
export interface Turn {
  key: string;
  query: string;
  /** The making of its answer; absent where it was made before. */
  run?: Run;
  /** Where it stands on the server, and how much of it is here. */
  known: Known;
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

/** A question, which the server does not know yet where nothing is `known` of it. */
export const createTurn = (query: string, known: Known = { from: 0 }): Turn => ({
  key: newId(),
  query,
  known,
  status: signal<Status>({ is: 'waiting' }),
  text: signal(''),
  last: '',
  citations: signal<Citations>({}),
  feedback: signal({}),
});
