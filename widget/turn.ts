import { signal, type Signal } from '@preact/signals';
import type { Citation, Citations, VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import { newId, type Feedback } from './client.ts';
import type { Known } from './resume.ts';
import { statusOf, type Status } from './status.ts';

/** One question with its answer. Read it anywhere; only the chat writes it. */
export interface Turn {
  key: string;
  query: string;
  /** Where it stands on the server, and how much of it is here. */
  known: Known;
  status: Signal<Status>;
  text: Signal<string>;
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

/** A question that the server does not know yet. */
export const createTurn = (query: string): Turn => ({
  key: newId(),
  query,
  known: { from: 0 },
  status: signal<Status>({ is: 'waiting' }),
  text: signal(''),
  citations: signal<Citations>({}),
  feedback: signal({}),
});

function readFeedback(json: string): Partial<Feedback> {
  try {
    return { ...(JSON.parse(json) as Feedback) };
  } catch {
    return {};
  }
}

export function fromRecord(session: string, record: VisitorMessage): Turn {
  const turn = createTurn(record.query);
  turn.known = { session, message: record.uuid, from: record.response.length };
  turn.status.value = statusOf(record.finish_reason);
  turn.text.value = record.response;
  turn.citations.value = readCitations(record.cite_data_json);
  turn.feedback.value = readFeedback(record.feedback_json);
  return turn;
}
