import { notFound, Refusal } from '../../schema/errors.ts';
import type { Clock } from '../../schema/ids.ts';
import type { BegunQuestion, SharedAnswers } from '../../store/shared/answers.ts';
import type { Visit, VisitLimit } from '../../store/visits.ts';
import type { Store, StoredMessage } from '../../store/store.ts';
import { newMessage, type Question, type Respond } from '../message-records.ts';
import { Run } from '../run.ts';
import type { FollowedRuns } from './followed.ts';
import type { AnswerStorage } from './storage.ts';

/** How many questions a visitor may ask. */
export interface AskLimit {
  visit: VisitLimit;
  /** Is told of the visit once it is counted; rejects where it is one too many. */
  check(visit: Visit): Promise<void>;
}

interface OpeningsOptions {
  store: Store;
  storage: AnswerStorage;
  clock: Clock;
  /** Absent where no other process has the store open. */
  followed: FollowedRuns | undefined;
  /** The answer of this process that is under way. */
  running(uuid: string): Run | undefined;
  takeCapacity(chatbot: string, visitor: string | undefined): () => void;
  start(question: Question, respond: Respond): Run;
  /** Answers a question whose message is stored. */
  begin(question: Question, run: Run, respond: Respond, release: () => void): Run;
}

/** Finds the answer to a question, or begins it: once, however often it is asked at once, here or in other processes. */
export class Openings {
  readonly #options: OpeningsOptions;
  readonly #opening = new Map<string, Promise<Run | StoredMessage>>();

  constructor(options: OpeningsOptions) {
    this.#options = options;
  }

  /** As `AnswerRuns.find`. */
  async find(uuid: string): Promise<Run | StoredMessage | undefined> {
    const { running, store } = this.#options;
    const own = running(uuid);
    const message = own ? undefined : await store.message(uuid);
    return own ?? (message && this.#answerOf(message));
  }

  /** As `AnswerRuns.open`. */
  open(uuid: string, query: string, begin: () => Promise<Question>, respond: Respond): Promise<Run | StoredMessage> {
    return this.#once(uuid, query, async () => {
      const known = await this.find(uuid);
      if (known) return known;
      const question = await begin();
      const { store, start } = this.#options;
      return store.answers ? this.#startOnce(store.answers, question, respond) : start(question, respond);
    });
  }

  /** As `AnswerRuns.ask`. */
  ask(answers: SharedAnswers, question: Question, limit: AskLimit, respond: Respond): Promise<Run | StoredMessage> {
    const { uuid, query, chatbot, visitor } = question;
    const { running, takeCapacity } = this.#options;
    return this.#once(`${chatbot.uuid} ${uuid}`, query, async () => {
      const own = running(uuid);
      if (own && (await this.#isOfItsChatbot(question))) return own;
      try {
        question.release = takeCapacity(chatbot.uuid, visitor);
      } catch (error) {
        // A repeated request takes none.
        const known = await this.find(uuid);
        if (known && (await this.#isOfItsChatbot(question))) return known;
        throw error;
      }
      return this.#startOnce(answers, question, respond, limit);
    });
  }

  /** Of two equal requests at the same moment the second waits for what the first opens. */
  async #once(key: string, query: string, open: () => Promise<Run | StoredMessage>): Promise<Run | StoredMessage> {
    const pending = this.#opening.get(key);
    const opening = pending ?? open().finally(() => this.#opening.delete(key));
    if (!pending) this.#opening.set(key, opening);
    const opened = await opening;
    if ((opened instanceof Run ? opened.message : opened).query === query) return opened;
    throw new Refusal('conflict', 'this id was used for another question', { field: 'id' });
  }

  /** The answer to a message as read from the store. */
  #answerOf(message: StoredMessage): Run | StoredMessage {
    if (message.finish_reason !== '') return message;
    const { running, followed } = this.#options;
    return running(message.uuid) ?? followed?.follow(message) ?? message;
  }

  /** Of processes that start the same question at once, one does; it waits for the store before it answers. */
  async #startOnce(
    answers: SharedAnswers,
    question: Question,
    respond: Respond,
    limit?: AskLimit,
  ): Promise<Run | StoredMessage> {
    const { clock, storage, takeCapacity, begin } = this.#options;
    const { uuid, chatbot, visitor, session, newSession } = question;
    const release = question.release ?? takeCapacity(chatbot.uuid, visitor);
    const message = newMessage(question, clock);
    let begun: BegunQuestion;
    try {
      const given = { chatbot: chatbot.uuid, message, newSession: newSession ? session : undefined };
      begun = await storage.begin(answers, { ...given, visit: limit?.visit });
      if (begun.visit) await limit?.check(begun.visit);
      if (begun.isStored) return begin(withSession(question, begun), new Run(message), respond, release);
    } catch (error) {
      release();
      throw error;
    }
    release();
    if (begun.message) return this.#answerOf(begun.message);
    const other = await this.find(uuid);
    if (!other || !(await this.#isOfItsChatbot(question))) throw notFound('session');
    return other;
  }

  /** Whether the session that a question names is one of its chatbot: nobody gets the answers of another. */
  async #isOfItsChatbot({ chatbot, session, newSession }: Question): Promise<boolean> {
    return newSession || (await this.#options.store.session(session.uuid))?.chatbot === chatbot.uuid;
  }
}

/** Values of variables come with the session where that is new, else with the question. */
const withSession = (question: Question, { session }: BegunQuestion): Question =>
  session ? { ...question, session, newSession: false } : { ...question, variables: undefined };
