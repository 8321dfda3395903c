import { EventEmitter } from 'node:events';

/** A visitor asked for a person, and a human-escalation agent has answered. */
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
