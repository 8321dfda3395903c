import type { Logger } from 'pino';
import { retry } from '../async/retry.ts';
import { asRefusal, notFound, Refusal } from '../schema/errors.ts';
import { later, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredMessage, StoredSession } from '../store/store.ts';
import type { Citations, FinishReason, Outcome } from '../types.ts';
import { createAnswerCapacity } from './capacity.ts';
import { Run } from './run.ts';

/** A question on its way: the chatbot and session it belongs to and the identifier its message will have. */
export interface Question {
  uuid: string;
  query: string;
  chatbot: StoredChatbot;
  session: StoredSession;
  /** The session is stored together with the message. */
  newSession: boolean;
  /** Neither the session nor its message is stored: nothing is left of it, however the process ends. */
  unstored?: true;
  /** Nobody reads the answer before it has ended: what a model wrote before it failed may be replaced. */
  unshown?: true;
  respond: Respond;
  /** The visitor's address, and the language tags that their browser asks for, best first; absent for a key holder. */
  visitor?: string;
  accepted?: readonly string[];
  /** The request that asked, for the log. */
  request?: string;
}

/** How an answer ended; its text is in the run. */
export interface Ending {
  finish_reason: Exclude<FinishReason, '' | 'interrupted'>;
  citations: Citations;
  meta: MessageMeta;
  /** With finish_reason `error`. */
  refusal?: Refusal;
}

export interface MessageMeta {
  actual_token_distribution: { total_tokens: number };
  functions_called: { name: string; content: string }[];
  active_agent: { uuid: string; name: string };
  credits: number;
  /** Absent where another server answered and does not say. */
  outcome?: Outcome;
  /** Why quotes stand in for the model, as in `ModelFailure`; absent where they do not. */
  fallback?: string;
}

/** Writes the answer into the run: this process's own way, or another server's through the door. */
export type Respond = (question: Question, run: Run) => Promise<Ending>;

/** The answers in progress, and the one way in which a question becomes a stored message. */
export interface Answering {
  /**
   * The run or the finished record of message `uuid`, whoever asks first; `begin` is called only where there is
   * neither, and what it throws leaves no trace. A repeat with another query is a `conflict`.
   */
  open(uuid: string, query: string, begin: () => Promise<Question>): Promise<Run | StoredMessage>;
  /**
   * Starts the answer to a question whose identifier is new. Throws `unavailable` where too many answers are under way: in
   * all, or of one visitor at one chatbot. An answer counts until it has ended, whoever still reads it.
   */
  start(question: Question): Run;
  /** Throws as `start` would for a question of this visitor. */
  checkRoom(chatbot: string, visitor: string): void;
  run(uuid: string): Run | undefined;
  /** Messages of a session as they stand, those being made with what there is so far. */
  messages(session: string): Promise<StoredMessage[]>;
  /** One of them, read from the store, as it stands. */
  asItStands(message: StoredMessage): Promise<StoredMessage>;
  /** Stops the answers of a session and waits for their ends: before it is deleted. */
  stopSession(session: string): Promise<void>;
  /** As `stopSession`, for all sessions of a chatbot. */
  stopChatbot(chatbot: string): Promise<void>;
  running(): number;
  /** Resolves when no answer is being made. */
  settled(): Promise<void>;
  /** Ends every run as `interrupted`, with what there is so far; for the end of the process. */
  interrupt(): Promise<void>;
  /** Ends those runs as `interrupted` that nobody reads at the moment. */
  interruptUnread(): void;
}

interface Rooms {
  store: Store;
  clock: Clock;
  log: Logger;
  /** Answers under way, in all. */
  most?: number;
}

/** Milliseconds between tries to store a message while no file can be opened: other answers close theirs as they end. */
const WAITS = [100, 300, 1000];
const isShortOfFiles = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

export function createAnswering({ store, clock, log, most = 256 }: Rooms): Answering {
  const runs = new Map<string, Run>();
  const endings = new Map<Run, { chatbot: string; over: Promise<void> }>();
  const opening = new Map<string, Promise<Run | StoredMessage>>();
  const room = createAnswerCapacity(most);
  const interrupted = new WeakSet<Run>();
  const save = ({ unstored }: Question, message: StoredMessage, session?: StoredSession): Promise<boolean> =>
    unstored ? Promise.resolve(true) : retry(() => store.saveMessage(message, session), isShortOfFiles, WAITS);

  function start(question: Question): Run {
    const leave = room.take(question.chatbot.uuid, question.visitor);
    const run = new Run(unanswered(question, clock));
    runs.set(run.message.uuid, run);
    // Storing starts now and runs beside the answer: nothing waits for the disk before the first byte.
    const stored = save(question, run.message, question.newSession ? question.session : undefined);
    stored.catch(() => false).then((there) => there || run.stop());
    run.stored = stored;
    const over = finish(question, run, stored).finally(() => {
      leave();
      runs.delete(run.message.uuid);
      endings.delete(run);
    });
    endings.set(run, { chatbot: question.chatbot.uuid, over });
    return run;
  }

  async function finish(question: Question, run: Run, stored: Promise<boolean>): Promise<void> {
    const ending = await question.respond(question, run).catch(failed);
    const fault = ending.refusal;
    if (fault) {
      log.error({ ...named(question), err: fault.cause, code: fault.code }, `answer failed: ${fault.message}`);
      fault.logged = true;
    }
    const isCutOff = interrupted.has(run);
    const message = answered(run, isCutOff ? { ...ending, finish_reason: 'interrupted' } : ending, clock);
    try {
      if (!(await stored) || !(await save(question, message))) throw notFound('session');
      run.end({ message, ...(ending.refusal ? { refusal: ending.refusal } : {}) });
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ ...named(question), err: error }, 'answer not stored');
      const left = (await stored.catch(() => false)) ? 'the question was stored, its answer was not' : undefined;
      const unstored = () => new Refusal('internal', 'the answer could not be stored', { cause: error });
      run.end({ refusal: asRefusal(error, left) ?? unstored() });
    }
  }

  async function openNow(uuid: string, begin: () => Promise<Question>): Promise<Run | StoredMessage> {
    return runs.get(uuid) ?? (await store.message(uuid)) ?? start(await begin());
  }

  async function asItStands(message: StoredMessage): Promise<StoredMessage> {
    if (message.finish_reason !== '') return message;
    const run = runs.get(message.uuid);
    if (run && !run.ended) return { ...message, response: run.read(0) };
    // It has ended while the store was being read.
    return (await store.message(message.uuid)) ?? message;
  }

  async function stopWhere(belongs: (run: Run, chatbot: string) => boolean): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [run, { chatbot, over }] of endings) {
      if (!belongs(run, chatbot)) continue;
      run.stop();
      ends.push(over);
    }
    await Promise.all(ends);
  }

  async function settled(): Promise<void> {
    while (endings.size > 0) await Promise.all(Array.from(endings.values(), ({ over }) => over));
  }

  function interruptRun(run: Run): void {
    interrupted.add(run);
    run.stop();
  }

  return {
    start,
    checkRoom: room.check,
    async open(uuid, query, begin) {
      // One opener a message: of two equal requests at the same moment the second waits for what the first found.
      const first = opening.get(uuid);
      const opened = first ?? openNow(uuid, begin).finally(() => opening.delete(uuid));
      if (!first) opening.set(uuid, opened);
      const found = await opened;
      if ((found instanceof Run ? found.message : found).query === query) return found;
      throw new Refusal('conflict', 'this id was used for another question', { field: 'id' });
    },
    run: (uuid) => runs.get(uuid),
    async messages(session) {
      const messages = await store.messages(session);
      for (const [at, message] of messages.entries()) {
        if (message.finish_reason === '') messages[at] = await asItStands(message);
      }
      return messages;
    },
    asItStands,
    stopSession: (session) => stopWhere((run) => run.message.session === session),
    stopChatbot: (chatbot) => stopWhere((_, of) => of === chatbot),
    running: () => runs.size,
    settled,
    async interrupt() {
      for (const run of runs.values()) interruptRun(run);
      await settled();
    },
    interruptUnread() {
      for (const run of runs.values()) if (!run.isRead) interruptRun(run);
    },
  };
}

/** A session's identifier is a secret; its first digits stand in every message's. */
const named = ({ uuid, chatbot, session, request }: Question): object => ({
  req: request,
  chatbot: chatbot.uuid,
  session: `${session.uuid.slice(0, 8)}…`,
  message: uuid,
});

function unanswered({ uuid, query, session }: Question, clock: Clock): StoredMessage {
  const now = timestamp(clock);
  return {
    uuid,
    query,
    response: '',
    finish_reason: '',
    cite_data_json: '{}',
    meta_json: '{}',
    created_at: now,
    modified_at: now,
    background_pending_tasks: 0,
    detected_frustrations: '',
    error_message: '',
    feedback_json: '{}',
    labels: [],
    session_documents: [],
    session: session.uuid,
  };
}

function answered(
  run: Run,
  ending: Omit<Ending, 'finish_reason'> & { finish_reason: FinishReason },
  clock: Clock,
): StoredMessage {
  return {
    ...run.message,
    response: run.read(0),
    finish_reason: ending.finish_reason,
    cite_data_json: JSON.stringify(ending.citations),
    meta_json: JSON.stringify(ending.meta),
    error_message: ending.refusal?.message ?? '',
    modified_at: later(run.message.modified_at, clock),
  };
}

export const NO_META: MessageMeta = {
  actual_token_distribution: { total_tokens: 0 },
  functions_called: [],
  active_agent: { uuid: '', name: '' },
  credits: 0,
};

function failed(error: unknown): Ending {
  const refusal =
    error instanceof Refusal ? error : new Refusal('internal', 'the answer could not be made', { cause: error });
  return { finish_reason: 'error', citations: {}, meta: { ...NO_META, outcome: 'unknown' }, refusal };
}
