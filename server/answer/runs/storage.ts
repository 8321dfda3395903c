import type { Logger } from 'pino';
import type { Values } from '../../agents/variables.ts';
import { retry } from '../../async/retry.ts';
import { notFound, Refusal } from '../../schema/errors.ts';
import type { BegunQuestion, NewQuestion, SharedAnswers } from '../../store/shared/answers.ts';
import type { Store, StoredMessage, StoredSession } from '../../store/store.ts';
import type { BackgroundResults } from '../background/results.ts';
import type { Finding } from '../background/work.ts';
import { logFields, withAnswerOf, type Question } from '../message-records.ts';
import type { Run } from '../run.ts';
import { isAway, repeatInBackground, repeatWhileAway } from './while-away.ts';

/** Milliseconds between attempts to store a message while no file can be opened: other answers close theirs as they end. */
const RETRY_DELAYS = [100, 300, 1000];
const isShortOfFiles = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

interface AnswerStorageOptions {
  store: Store;
  log: Logger;
  background: BackgroundResults<Question>;
  /** Whether this process is answering the message. */
  isRunning(uuid: string): boolean;
}

/** Stores messages, and what their sessions keep of answers. */
export class AnswerStorage {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #background: BackgroundResults<Question>;
  readonly #isRunning: (uuid: string) => boolean;
  /** Messages to be given up, once the store can be reached. */
  readonly #abandoned = new Set<string>();
  #isEnding = false;

  constructor({ store, log, background, isRunning }: AnswerStorageOptions) {
    this.#store = store;
    this.#log = log;
    this.#background = background;
    this.#isRunning = isRunning;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** For the end of the process: nothing waits any longer for a store that is away. */
  stopWaiting(): void {
    this.#isEnding = true;
  }

  /** False where the session, or the message of an answer that goes on, has been deleted meanwhile, or is interrupted. */
  save({ ephemeral, confirmed }: Question, message: StoredMessage, session?: StoredSession): Promise<boolean> {
    if (ephemeral) return Promise.resolve(true);
    const goOn = async (): Promise<boolean> => {
      let isOurs = true;
      const updated = await this.#store.updateMessage(message.uuid, (stored) => {
        isOurs = stored.finish_reason === '' || message.finish_reason === '';
        return isOurs ? withAnswerOf(message, stored) : stored;
      });
      return isOurs && updated !== undefined;
    };
    const save = confirmed ? goOn : () => this.#store.saveMessage(message, session);
    return retry(save, isShortOfFiles, RETRY_DELAYS);
  }

  /**
   * Stores a question as `SharedAnswers.begin` does. Where the store is lost before it says whether it did, that is found out: a
   * message of this process that nobody answers would keep its readers waiting.
   */
  async begin(answers: SharedAnswers, question: NewQuestion): Promise<BegunQuestion> {
    const { message } = question;
    // Later, that would give up this question.
    if (this.#abandoned.has(message.uuid)) await this.#giveUp(answers, message.uuid);
    let lost: Refusal;
    try {
      return await answers.begin(question);
    } catch (error) {
      // It is stored where only what was found with it cannot be read, such as the record of its session.
      if (!(error instanceof Refusal) && !this.#isRunning(message.uuid)) void this.abandon({}, message);
      if (!(error instanceof Refusal && error.mayBeStored)) throw error;
      lost = error;
    }
    const beginAgain = async (): Promise<BegunQuestion> => {
      const begun = await answers.begin(question);
      // One that is being answered was begun by another request; a session that is not there is of another chatbot.
      if (begun.isStored || this.#isRunning(message.uuid)) return begun;
      if (!question.newSession && !begun.session) return begun;
      // The first attempt may have stored it after this one has looked for it, and have counted the visit.
      const states = await answers.write([message.uuid], []);
      const isOurs = states.get(message.uuid)?.isOurs === true && !this.#isRunning(message.uuid);
      return isOurs ? { ...begun, isStored: true, visit: undefined } : begun;
    };
    try {
      return await this.#persist(beginAgain);
    } catch (error) {
      if (!this.#isRunning(message.uuid)) void this.abandon({}, message);
      // The first was sent; the last may not have been.
      throw isAway(error) ? lost : error;
    }
  }

  /**
   * Stores the end of an answer and gives what is stored: an answer that others take for interrupted stays so. Waits for a shared
   * store that is away. Throws `not_found` where the message is gone.
   */
  async end(question: Question, message: StoredMessage): Promise<StoredMessage> {
    const { answers } = this.#store;
    // At the second attempt the first may have been stored, though that was not told: then the stored one is this one.
    const end = async (): Promise<StoredMessage> => {
      const isEnded = await (answers && !question.ephemeral && !question.confirmed
        ? answers.end(message)
        : this.save(question, message));
      const stored = isEnded ? message : answers && (await this.#store.message(message.uuid));
      if (!stored) throw notFound('session');
      return stored;
    };
    return this.#persist(end);
  }

  /** Gives up an answer whose end cannot be stored, once the store can be reached: to others it is interrupted. Never rejects. */
  async abandon({ ephemeral }: Pick<Question, 'ephemeral'>, { uuid }: StoredMessage): Promise<void> {
    const { answers } = this.#store;
    if (!answers || ephemeral) return;
    this.#abandoned.add(uuid);
    const isRefused = (error: unknown): boolean => error instanceof Refusal;
    const giveUp = async (): Promise<void> => {
      if (this.#abandoned.has(uuid)) await this.#giveUp(answers, uuid);
    };
    await repeatInBackground(giveUp, isRefused, () => this.#isEnding).catch((err: unknown) => {
      // Of a process that has ended, all answers are given up.
      if (!this.#isEnding)
        this.#log.error({ message: uuid, err }, 'an answer that could not be stored is not given up');
    });
  }

  async #giveUp(answers: SharedAnswers, uuid: string): Promise<void> {
    await answers.abandon(uuid);
    this.#abandoned.delete(uuid);
  }

  /** Stores what the session keeps of the answer; a failure is only logged. True where a person is first requested. */
  async updateSession(question: Question, run: Run, findings: Finding[], requestsPerson?: true): Promise<boolean> {
    if (question.ephemeral) return false;
    const { uuid } = question.session;
    // What background agents found comes after what the question's own words gave.
    const variables = Object.assign({}, run.collected, ...findings.map((one) => one.variables)) as Values;
    let isNew = false;
    const request = (one: StoredSession): StoredSession => {
      isNew ||= one.live === undefined;
      return { live: { state: 'requested' }, ...one };
    };
    const update = async (): Promise<void> => {
      if (requestsPerson) await this.#store.updateSession(uuid, request);
      await this.#background.storeVariables(uuid, variables, run.order);
    };
    await this.#persist(update).catch((error: unknown) =>
      this.#log.error({ ...logFields(question), err: error }, 'the session of an answer could not be stored'),
    );
    return isNew;
  }

  /** Repeats what fails because the store is away for a moment. */
  #persist<T>(act: () => Promise<T>): Promise<T> {
    return this.#store.answers ? repeatWhileAway(act, () => this.#isEnding) : retry(act, isShortOfFiles, RETRY_DELAYS);
  }
}
