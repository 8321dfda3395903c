import { signal, type Signal } from '@preact/signals';
import type { Citation, Citations, VisitorMessage } from '../server/types.ts';
import { readCitations } from './citations.ts';
import { newId } from './client.ts';
import { statusOf, type Status } from './status.ts';

/** One question with its answer. Read it anywhere; only the chat writes it. */
export interface Turn {
  key: string;
  query: string;
  status: Signal<Status>;
  text: Signal<string>;
  citations: Signal<Citations>;
}

/** What a page can listen to, with what its listeners are given. */
export interface Events {
  open: undefined;
  close: undefined;
  ask: { query: string };
  answer: { query: string; response: string; citations: Citations; finish_reason: string };
  citation: { marker: string; citation: Citation };
  'rate-limit': { message: string; retry_after: number };
  error: { code: string; error: string; status: number };
}

export type Emit = <Name extends keyof Events>(name: Name, detail: Events[Name]) => void;

export const createTurn = (query: string, status: Status, text = '', citations: Citations = {}): Turn => ({
  key: newId(),
  query,
  status: signal(status),
  text: signal(text),
  citations: signal(citations),
});

export const fromRecord = (message: VisitorMessage): Turn =>
  createTurn(message.query, statusOf(message.finish_reason), message.response, readCitations(message.cite_data_json));
