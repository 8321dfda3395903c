import type { Logger } from 'pino';
import type { AnswerRuns, Question } from '../answer/runs.ts';
import { Run } from '../answer/run.ts';
import { isWaiting } from '../answer/tools/pending.ts';
import { notFound, Refusal } from '../schema/errors.ts';
import { takenVisit, visitLimit, type TakenVisit, type TakeVisit } from '../http/rate-limit.ts';
import { derivedUuid, messageUuid, newUuid, nextModifiedAt, readUuid, timestamp, type Clock } from '../schema/ids.ts';
import { objectIn } from '../schema/json.ts';
import type { SharedAnswers } from '../store/shared/answers.ts';
import type { Store, StoredChatbot, StoredMessage, StoredSession } from '../store/store.ts';
import type { Visit } from '../store/visits.ts';
import type { AskBody } from '../schema/visitor.ts';
import { limitMessage } from './limit-message.ts';
import type { VisitorSessions } from './sessions.ts';
import type { Upstream } from './upstream/upstream.ts';

interface AskDeps {
  store: Store;
  runs: AnswerRuns;
  upstream: Upstream;
  clock: Clock;
  log: Logger;
  takeVisit: TakeVisit;
  sessions: VisitorSessions;
}

interface AskRequest {
  address: string;
  /** The id of the HTTP request, for the log. */
  request: string;
  /** Language tags, best first. */
  acceptedLanguages: readonly string[];
  /** Sets header fields of the reply. */
  setFields(fields: Record<string, string>): void;
}

interface AskResult {
  /** The id of the session, where the visitor did not name one. */
  newSession: string | undefined;
  message: string;
  found: Run | StoredMessage;
}

/** Finds or creates the session, detects repeats, applies the rate limit and starts the run. */
export function createAsk({ store, runs, upstream, clock, log, takeVisit, sessions }: AskDeps) {
  return async (chatbot: StoredChatbot, body: AskBody, asked: AskRequest): Promise<AskResult> => {
    const { answers } = store;
    if (answers && body.replaces === undefined) return askShared(answers, chatbot, body, asked);
    const { address, request, acceptedLanguages } = asked;
    const session = body.session === undefined ? undefined : await sessions.find(chatbot, body.session);
    const ids = identify(store.owner.secret, chatbot, address, session?.uuid, body.id);

    // Beside the look at whether the question was asked before.
    const earlier = session || body.id === undefined ? undefined : store.session(ids.session);
    earlier?.catch(() => {});

    const begin = async (): Promise<Question> => {
      const known = session ?? (await earlier);
      // First: a question that is refused for lack of capacity does not count.
      const release = runs.takeCapacity(chatbot.uuid, address);
      let replacedMessage: StoredMessage | undefined;
      try {
        const replaced = body.replaces === undefined ? undefined : await replaceable(session, body.replaces);
        await check(await takeVisit(chatbot.uuid, address, chatbot.meta.rate_limit), chatbot, body.query, asked);
        if (replaced !== undefined) replacedMessage = await replace(replaced, ids.message);
      } catch (error) {
        release();
        throw error;
      }
      return {
        release,
        uuid: ids.message,
        query: body.query,
        chatbot,
        session: known ?? sessions.create(chatbot, body.variables, ids.session),
        newSession: !known,
        variables: known && body.variables,
        visitor: address,
        request,
        acceptedLanguages,
        ...(replacedMessage && { replaced: replacedMessage }),
      };
    };
    const found =
      body.id === undefined
        ? runs.start(await begin(), upstream.respond)
        : await runs.open(ids.message, body.query, begin, upstream.respond);
    if (!session && found instanceof Run && found.stored) sessions.waitForStorage(ids.session, found.stored);
    return { newSession: session ? undefined : ids.session, message: ids.message, found };
  };

  /** In one round trip after that for the chatbot. */
  async function askShared(
    answers: SharedAnswers,
    chatbot: StoredChatbot,
    { id, query, session, variables }: AskBody,
    asked: AskRequest,
  ): Promise<AskResult> {
    const { address, request, acceptedLanguages } = asked;
    const known = session === undefined ? undefined : readUuid(session);
    if (session !== undefined && known === undefined) throw notFound('session');
    const ids = identify(store.owner.secret, chatbot, address, known, id);
    const question: Question = {
      uuid: ids.message,
      query,
      chatbot,
      session: sessions.create(chatbot, variables, ids.session),
      newSession: known === undefined,
      variables,
      visitor: address,
      request,
      acceptedLanguages,
    };
    const limit = chatbot.meta.rate_limit;
    const visit = visitLimit('ask', chatbot.uuid, address, limit);
    const checkVisit = (counted: Visit): Promise<void> => check(takenVisit(counted, limit), chatbot, query, asked);
    const found = await runs.ask(answers, question, { visit, check: checkVisit }, upstream.respond);
    return { newSession: known === undefined ? ids.session : undefined, message: ids.message, found };
  }

  /** The uuid of the message to be replaced. Throws `conflict` where it is not the last of its session, or has not ended. */
  async function replaceable(session: StoredSession | undefined, named: string): Promise<string> {
    const last = session && (await runs.messages(session.uuid)).at(-1);
    const hasEnded = last && last.finish_reason !== '' && !isWaiting(last.pending_call_json, clock());
    if (last?.uuid !== readUuid(named) || !hasEnded)
      throw new Refusal('conflict', 'only the last message of the session can be replaced, once it has ended', {
        field: 'replaces',
      });
    return last.uuid;
  }

  /** Throws `conflict` where another request replaces it at the moment. */
  async function replace(uuid: string, replaced_by: string): Promise<StoredMessage> {
    const replaced = await store.updateMessage(uuid, (message) => {
      const meta = objectIn(message.meta_json);
      const other = meta['replaced_by'] ?? replaced_by;
      // The other is stored right after this, unless its process ends.
      if (other !== replaced_by && clock() - Date.parse(message.modified_at) < REPLACING_MS)
        throw new Refusal('conflict', 'the message is being replaced by another request', { field: 'replaces' });
      return {
        ...message,
        meta_json: JSON.stringify({ ...meta, replaced_by }),
        modified_at: nextModifiedAt(message.modified_at, clock),
      };
    });
    if (!replaced) throw notFound('message');
    return replaced;
  }

  /** Throws `rate_limited` where the visit is one too many. */
  async function check(
    { retryAfter, fields }: TakenVisit,
    chatbot: StoredChatbot,
    query: string,
    { acceptedLanguages, setFields }: AskRequest,
  ): Promise<void> {
    setFields(fields);
    if (retryAfter === 0) return;
    log.debug({ chatbot: chatbot.uuid, retryAfter }, 'a visitor reached the rate limit');
    runs.figures.refused(chatbot, timestamp(clock).slice(0, 10));
    throw new Refusal('rate_limited', await limitMessage(chatbot, query, acceptedLanguages), { retryAfter });
  }
}

/** Milliseconds in which a message that replaces another one is stored. */
const REPLACING_MS = 15_000;

/** Characters of an `id` that can hold 128 random bits: only the client that made it can repeat it, from any address. */
const MIN_UNGUESSABLE_LENGTH = 22;

/**
 * Derives both ids from the client's `id`, so that a repeated request finds the message of the first one, after a restart
 * too. Without an `id` they are random.
 */
function identify(
  secret: string,
  chatbot: StoredChatbot,
  address: string,
  known: string | undefined,
  id: string | undefined,
): { session: string; message: string } {
  if (id === undefined) {
    const session = known ?? newUuid();
    return { session, message: messageUuid(session) };
  }
  const scope = id.length >= MIN_UNGUESSABLE_LENGTH ? [id] : [address, id];
  const session = known ?? derivedUuid(secret, 'session', chatbot.uuid, ...scope);
  return { session, message: messageUuid(session, derivedUuid(secret, 'message', session, id)) };
}
