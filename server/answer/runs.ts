import type { Logger } from 'pino';
import { asRefusal, notFound, Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import type { SharedAnswers } from '../store/shared/answers.ts';
import type { Store, StoredMessage } from '../store/store.ts';
import { BackgroundResults, withBackground, withCount, withFindings } from './background/results.ts';
import type { BackgroundWork } from './background/work.ts';
import { createAnswerCapacity, type AnswerCapacity } from './capacity.ts';
import { createAnswerEvents, tellOfRequest } from './events.ts';
import { pageOf } from './context.ts';
import { errorResult, finishedMessage, logFields, newMessage, type Question, type Respond } from './message-records.ts';
import { Run } from './run.ts';
import { AnswerBatches } from './runs/batches.ts';
import { FigureCounts } from './runs/figures.ts';
import { FollowedRuns } from './runs/followed.ts';
import { Openings, type AskLimit } from './runs/openings.ts';
import { pageName } from './runs/page-name.ts';
import { AnswerStorage } from './runs/storage.ts';
import { countUsage, type CountOptions } from './spending.ts';
import { takenCall, waitingCall, type PendingCall } from './tools/pending.ts';

export { isDone, NO_META } from './message-records.ts';
export type { AnswerResult, MessageMeta, Question, Respond } from './message-records.ts';

interface AnswerRunsOptions {
  store: Store;
  clock: Clock;
  log: Logger;
  /** Answers under way, in all; 256 by default. */
  maxRuns?: number;
}

/** The answers under way. Only this class stores messages of questions. */
export class AnswerRuns {
  readonly events = createAnswerEvents();
  readonly figures: FigureCounts;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #capacity: AnswerCapacity;
  /** By message. */
  readonly #runs = new Map<string, Run>();
  readonly #finishing = new Map<Run, { question: Question; finished: Promise<void> }>();
  readonly #interrupted = new WeakSet<Run>();
  readonly #background: BackgroundResults<Question>;
  readonly #storage: AnswerStorage;
  readonly #openings: Openings;
  readonly #counting: CountOptions;
  /** Absent where no other process has the store open. */
  readonly #shared: { batches: AnswerBatches; followed: FollowedRuns } | undefined;
  #begun = 0;

  constructor({ store, clock, log, maxRuns = 256 }: AnswerRunsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.figures = new FigureCounts({ store, log });
    this.#background = new BackgroundResults({ store, clock, log });
    this.#storage = new AnswerStorage({
      store,
      log,
      background: this.#background,
      isRunning: (uuid) => this.#runs.has(uuid),
    });
    this.#counting = { store, log, isEnding: () => this.#storage.isEnding };
    this.#capacity = createAnswerCapacity(maxRuns);
    this.#shared = store.answers && {
      batches: new AnswerBatches(store.answers, (run) => this.#interrupt(run)),
      followed: new FollowedRuns(store, store.answers),
    };
    this.#openings = new Openings({
      store,
      storage: this.#storage,
      clock,
      followed: this.#shared?.followed,
      running: (uuid) => this.#runs.get(uuid),
      takeCapacity: (chatbot, visitor) => this.takeCapacity(chatbot, visitor),
      start: (question, respond) => this.start(question, respond),
      begin: (question, run, respond, release) => this.#begin(question, run, respond, release, true),
    });
  }

  /**
   * Starts the answer to a question whose identifier is new. Throws `unavailable` where too many answers are under way: in
   * all, or of one visitor at one chatbot. An answer counts until it has ended, whoever still reads it.
   */
  start(question: Question, respond: Respond): Run {
    const release = question.release ?? this.takeCapacity(question.chatbot.uuid, question.visitor);
    return this.#begin(question, new Run(newMessage(question, this.#clock)), respond, release);
  }

  /**
   * Goes on with a message that has ended with a call to be confirmed. Throws `conflict` where none waits, or not any
   * more, `not_found` where the message is gone, and as `start`.
   */
  async confirm(question: Question, isAccepted: boolean, respond: Respond): Promise<Run> {
    const release = this.takeCapacity(question.chatbot.uuid, question.visitor);
    const reason = this.#shared ? '' : 'interrupted';
    try {
      let [pending, text]: [PendingCall | undefined, string] = [undefined, ''];
      // Durable before the call: after a crash the same call cannot be confirmed again.
      const before = await this.#store.updateMessage(question.uuid, (message) => {
        pending = waitingCall(message.pending_call_json, this.#clock());
        text = message.response;
        return takenCall(message, pending, { accepted: isAccepted, finish_reason: reason, clock: this.#clock });
      });
      if (!before || !pending) throw notFound('message');
      const run = new Run({ ...before, finish_reason: '' });
      run.append(text);
      return this.#begin({ ...question, confirmed: { pending, isAccepted, before } }, run, respond, release, !reason);
    } catch (error) {
      release();
      throw error;
    }
  }

  #begin(question: Question, run: Run, respond: Respond, release: () => void, isStored = false): Run {
    this.#runs.set(run.message.uuid, run);
    run.order = ++this.#begun;
    // Storing runs beside the answer: the first byte does not wait for the disk.
    const session = question.newSession ? question.session : undefined;
    const stored = isStored ? Promise.resolve(true) : this.#storage.save(question, run.message, session);
    stored.catch(() => false).then((isDone) => isDone || run.stop());
    run.stored = stored;
    if (!question.ephemeral) this.#shared?.batches.add(run, stored, { isHidden: question.unstreamed === true });
    const finished = this.#finish(question, respond, run, stored).finally(() => {
      release();
      this.#runs.delete(run.message.uuid);
      this.#finishing.delete(run);
    });
    this.#finishing.set(run, { question, finished });
    return run;
  }

  /**
   * The run or the finished record of message `uuid`. Where there is neither, it starts the question that `begin` makes;
   * an error of `begin` leaves no trace. Throws `conflict` where the message has another query.
   */
  open(uuid: string, query: string, begin: () => Promise<Question>, respond: Respond): Promise<Run | StoredMessage> {
    return this.#openings.open(uuid, query, begin, respond);
  }

  /**
   * As `open`, with the limit of its visitor, in one round trip to a store that several processes share: `answers` is that of
   * the store. The question has the record of a session to be stored, in place of which comes that of its uuid where there is
   * one. Throws `not_found` where the session is to be there and is not.
   */
  ask(answers: SharedAnswers, question: Question, limit: AskLimit, respond: Respond): Promise<Run | StoredMessage> {
    return this.#openings.ask(answers, question, limit, respond);
  }

  /** Counts an answer before it starts, until the returned function is called. Throws as `start`. */
  takeCapacity(chatbot: string, visitor: string | undefined): () => void {
    return this.#capacity.take(chatbot, visitor);
  }

  /** The run of message `uuid`; undefined once it has ended. */
  get(uuid: string): Run | undefined {
    return this.#runs.get(uuid);
  }

  /** The answer under way, which another process may make; the message where there is none; undefined where that is gone. */
  find(uuid: string): Promise<Run | StoredMessage | undefined> {
    return this.#openings.find(uuid);
  }

  /** Messages of a session, oldest first; those under way have the text so far, and the labels so far. */
  async messages(session: string): Promise<StoredMessage[]> {
    // Looked up before the store is read: work that ends meanwhile is not in what was read.
    const works = this.#worksOf(session);
    const messages = await this.#store.messages(session);
    for (const [at, message] of messages.entries()) {
      const isUnfinished = message.finish_reason === '';
      if (isUnfinished) messages[at] = await this.#soFar(message);
      else messages[at] = withBackground(message, works.get(message.uuid) ?? this.#background.get(message.uuid));
    }
    return messages;
  }

  /** The message with the text and the labels so far; undefined where there is none. */
  async message(uuid: string): Promise<StoredMessage | undefined> {
    const work = this.#workOf(uuid);
    const message = await this.#store.message(uuid);
    if (message?.finish_reason === '') return this.#soFar(message);
    return message && withBackground(message, work ?? this.#workOf(uuid));
  }

  /** Stops the answers of a session and waits for their ends: before it is deleted. */
  stopSession(session: string): Promise<void> {
    return this.#stopWhere((question) => question.session.uuid === session);
  }

  /** As `stopSession`, for all sessions of a chatbot. */
  stopChatbot(chatbot: string): Promise<void> {
    return this.#stopWhere((question) => question.chatbot.uuid === chatbot);
  }

  /** Resolves when no answer is under way, and nothing beside one. */
  async settled(): Promise<void> {
    while (this.#finishing.size > 0 || !this.#background.isIdle) {
      await Promise.all(Array.from(this.#finishing.values(), ({ finished }) => finished));
      await this.#background.settled();
    }
  }

  /** Ends every run as `interrupted`, with the text so far; for the end of the process. */
  async interrupt(): Promise<void> {
    this.#storage.stopWaiting();
    for (const run of this.#runs.values()) this.#interrupt(run);
    while (this.#finishing.size > 0 || !this.#background.isIdle) {
      await Promise.all(Array.from(this.#finishing.values(), ({ finished }) => finished));
      await this.#background.stopWhere(() => true);
    }
    await this.figures.flush();
  }

  /** Ends those runs as `interrupted` of which `looks` calls in a row find no reader, here or elsewhere, and what goes on after others. */
  interruptUnread(looks = 1): void {
    void this.#background.stopWhere(() => true);
    for (const run of this.#runs.values()) if (run.countUnread() >= looks) this.#interrupt(run);
  }

  /** An unfinished message as read from the store, with what there is of its answer. */
  async #soFar(message: StoredMessage): Promise<StoredMessage> {
    const run = this.#runs.get(message.uuid);
    const work = this.#workOf(message.uuid);
    if (run && !run.ended) return withBackground({ ...message, response: run.read(0, run.shown) }, work);
    // It has ended while the store was being read.
    return withBackground((await this.#store.message(message.uuid)) ?? message, work);
  }

  #workOf(message: string): BackgroundWork | undefined {
    return this.#runs.get(message)?.background ?? this.#background.get(message);
  }

  /** By message. */
  #worksOf(session: string): ReadonlyMap<string, BackgroundWork> {
    const works = new Map(this.#background.ofSession(session));
    for (const { message, background } of this.#runs.values()) {
      if (background && message.session === session) works.set(message.uuid, background);
    }
    return works;
  }

  async #finish(question: Question, respond: Respond, run: Run, stored: Promise<boolean>): Promise<void> {
    const result = await respond(question, run).catch((error) => errorResult(error, question));
    const fault = result.refusal;
    if (fault) {
      const { cause: err, code } = fault;
      this.#log.error({ ...logFields(question), err, code }, `answer failed: ${fault.message}`);
      fault.logged = true;
    }
    // Beside the message, and whether or not that can be stored: what was spent is spent.
    const counted = countUsage(this.#counting, question, run.message.created_at, result.meta);
    const isCutOff = this.#interrupted.has(run);
    const end = isCutOff ? { ...result, finish_reason: 'interrupted' as const } : result;
    const finished = finishedMessage(run, end, this.#clock, pageName(pageOf(question)));
    const { background } = run;
    const findings = background?.take() ?? [];
    const message = withCount(withFindings(finished, findings), background, this.#store);
    try {
      if (!(await stored)) throw notFound('session');
      await this.#shared?.batches.remove(run);
      const ended = await this.#storage.end(question, message);
      const isNew = await this.#storage.updateSession(question, run, findings, result.requestsPerson);
      await counted;
      this.figures.answered(question, ended, isNew);
      if (background) this.#background.follow(question, background, run.order);
      run.end({ message: ended, ...(fault ? { refusal: fault } : {}) });
      if (isNew) tellOfRequest(this.events, this.#log, question);
    } catch (error) {
      background?.stop();
      void this.#storage.abandon(question, message);
      if (!(error instanceof Refusal)) this.#log.error({ ...logFields(question), err: error }, 'answer not stored');
      const reason = (await stored.catch(() => false)) ? 'the question was stored, its answer was not' : undefined;
      const internal = () => new Refusal('internal', 'the answer could not be stored', { cause: error });
      run.end({ refusal: asRefusal(error, reason) ?? internal() });
    }
  }

  async #stopWhere(matches: (question: Question) => boolean): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [run, { question, finished }] of this.#finishing) {
      if (!matches(question)) continue;
      run.stop();
      ends.push(finished);
    }
    await Promise.all(ends);
    await this.#background.stopWhere(matches);
  }

  #interrupt(run: Run): void {
    this.#interrupted.add(run);
    run.stop();
  }
}
