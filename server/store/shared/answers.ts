import type { Visit, VisitLimit } from '../visits.ts';
import type { StoredMessage, StoredSession } from './session-records.ts';

/** The answers that are being made by the processes that share a store. Offsets count UTF-16 units. */
export interface SharedAnswers {
  /** Stores a question for this process to answer, and counts the visit: both or neither, in one round trip to the database. */
  begin(question: NewQuestion): Promise<BegunQuestion>;
  /** Adds pieces to answers of this process, and says how those of `messages` stand; a piece that is there stays. */
  write(messages: string[], pieces: (AnswerPiece | AnswerStep)[]): Promise<Map<string, AnswerState>>;
  /** What was written of answers from an offset on, which is the end of a piece; without those whose message is gone. */
  read(offsets: Map<string, number>): Promise<Map<string, WrittenAnswer>>;
  /** Says that this process has readers of those answers: see `AnswerState`. To be said again each second. */
  follow(messages: string[]): Promise<void>;
  /** Has the process that makes the answer stop it. */
  stop(message: string): Promise<void>;
  /** Stores the finished record of an answer of this process. False where it is not ours any more, as in `AnswerState`. */
  end(message: StoredMessage): Promise<boolean>;
  /** Gives up an answer of this process whose end cannot be stored: all see it as interrupted. */
  abandon(message: string): Promise<void>;
}

export interface NewQuestion {
  /** Its session is one of this chatbot. */
  chatbot: string;
  message: StoredMessage;
  /** Stored with the message where there is none of its uuid. Without it, nothing is stored of a session that is not there. */
  newSession?: StoredSession | undefined;
  /** Nothing is stored where it is used up. */
  visit?: VisitLimit | undefined;
}

export interface BegunQuestion {
  /**
   * False where a message of its uuid is there, which another process may have stored at the same moment, where its session or
   * chatbot is gone, or where the limit is used up.
   */
  isStored: boolean;
  /** As they were before; absent where they were not there, or are of another chatbot. */
  session?: StoredSession | undefined;
  message?: StoredMessage | undefined;
  /** Absent where none was asked for, and where the message was there before, or its session was not. */
  visit?: Visit | undefined;
}

export interface AnswerPiece {
  message: string;
  start: number;
  text: string;
}

/** What an answer waits for: a piece without text, whose `start` is below that of all steps before, the first at -1. */
export interface AnswerStep extends AnswerPiece {
  text: '';
  /** As visitors are told; '' where the step before has ended. */
  step: string;
}

export interface AnswerState {
  /** Its pieces are stored; false where they have to be written again. */
  isStored: boolean;
  /** False where the message is deleted, or this process was taken for dead: others see it as interrupted. */
  isOurs: boolean;
  isStopRequested: boolean;
  /** Another process has had readers of it within three seconds. */
  isFollowed: boolean;
}

export interface WrittenAnswer {
  text: string;
  /** False where the answer has ended, or its process is dead: then the message says how. */
  isWritten: boolean;
  /** The last that was written, even if it has been read before. */
  step?: Pick<AnswerStep, 'start' | 'step'>;
}
