import type { Logger } from 'pino';
import type { Values } from '../../agents/variables.ts';
import { retry } from '../../async/retry.ts';
import type { Store, StoredMessage, StoredSession } from '../../store/store.ts';
import type { BackgroundResults } from '../background/results.ts';
import type { Finding } from '../background/work.ts';
import { logFields, withAnswerOf, type Question } from '../message-records.ts';
import type { Run } from '../run.ts';

/** Milliseconds between attempts to store a message while no file can be opened: other answers close theirs as they end. */
const RETRY_DELAYS = [100, 300, 1000];
const isShortOfFiles = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

interface AnswerStorageOptions {
  store: Store;
  log: Logger;
  background: BackgroundResults<Question>;
}

/** Stores messages, and what their sessions keep of answers. */
export class AnswerStorage {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #background: BackgroundResults<Question>;

  constructor({ store, log, background }: AnswerStorageOptions) {
    this.#store = store;
    this.#log = log;
    this.#background = background;
  }

  /** False where the session, or the message of an answer that goes on, has been deleted meanwhile. */
  save({ ephemeral, confirmed }: Question, message: StoredMessage, session?: StoredSession): Promise<boolean> {
    if (ephemeral) return Promise.resolve(true);
    const goOn = () => this.#store.updateMessage(message.uuid, (stored) => withAnswerOf(message, stored)).then(Boolean);
    const save = confirmed ? goOn : () => this.#store.saveMessage(message, session);
    return retry(save, isShortOfFiles, RETRY_DELAYS);
  }

  /** Stores what the session keeps of the answer; a failure is only logged. True where a person is first requested. */
  async updateSession(question: Question, run: Run, findings: Finding[], requestsPerson?: true): Promise<boolean> {
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
    await retry(update, isShortOfFiles, RETRY_DELAYS).catch((error: unknown) =>
      this.#log.error({ ...logFields(question), err: error }, 'the session of an answer could not be stored'),
    );
    return isNew;
  }
}
