import { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { Question } from './message-records.ts';

/** A visitor has asked for a person: once in a conversation. */
export interface PersonRequest {
  chatbot: string;
  session: string;
  message: string;
}

/** What answers tell the rest of the process, each once, after it is stored. */
interface AnswerEventMap {
  personRequested: [PersonRequest];
}

type AnswerEvents = EventEmitter<AnswerEventMap>;

export const createAnswerEvents = (): AnswerEvents => new EventEmitter<AnswerEventMap>();

/** A listener that throws is a fault of its own: the answer is stored and has ended. */
export function tellOfRequest(events: AnswerEvents, log: Logger, { uuid, chatbot, session }: Question): void {
  try {
    events.emit('personRequested', { chatbot: chatbot.uuid, session: session.uuid, message: uuid });
  } catch (error) {
    log.error({ err: error, message: uuid }, 'a listener to a request for a person failed');
  }
}
