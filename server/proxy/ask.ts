import type { Logger } from 'pino';
import type { Answering, Question } from '../answer/answering.ts';
import type { Run } from '../answer/runs.ts';
import { notFound, Refusal } from '../errors.ts';
import type { VisitorLimits } from '../limits.ts';
import { derivedUuid, messageUuid, newUuid, readUuid, timestamp, type Clock } from '../records.ts';
import type { Store, StoredChatbot, StoredMessage, StoredSession } from '../store/store.ts';
import type { AskBody } from './bodies.ts';
import type { Upstream } from './upstream.ts';

interface Rooms {
  store: Store;
  answering: Answering;
  upstream: Upstream;
  clock: Clock;
  log: Logger;
  limits: VisitorLimits;
}

export interface Asked {
  /** The session's identifier where the visitor did not name one. */
  made: string | undefined;
  message: string;
  found: Run | StoredMessage;
}

/** One question at the door: whose it is, whether it is a repeat, whether the visitor may ask it now. */
export function createAsk({ store, answering, upstream, clock, log, limits }: Rooms) {
  return async (chatbot: StoredChatbot, body: AskBody, address: string): Promise<Asked> => {
    const session = body.session === undefined ? undefined : await ownSession(store, chatbot, body.session);
    const named = identify(store.home.secret, chatbot, address, session, body.id);

    const begin = async (): Promise<Question> => {
      const known = session ?? (body.id === undefined ? undefined : await store.session(named.session));
      admit(chatbot, address);
      return {
        uuid: named.message,
        query: body.query,
        chatbot,
        session: known ?? newSession(upstream, chatbot, clock, body.variables, named.session),
        newSession: !known,
        respond: upstream.respond,
      };
    };
    const found =
      body.id === undefined ? answering.start(await begin()) : await answering.open(named.message, body.query, begin);
    return { made: session ? undefined : named.session, message: named.message, found };
  };

  function admit(chatbot: StoredChatbot, address: string): void {
    const retryAfter = limits.take(chatbot.uuid, address, chatbot.meta.rate_limit);
    if (retryAfter === 0) return;
    log.debug({ chatbot: chatbot.uuid, retryAfter }, 'a visitor reached the rate limit');
    throw new Refusal('rate_limited', chatbot.meta.rate_limit_message || 'Too many messages', { retryAfter });
  }
}

/**
 * With an `id` of the client's own both identifiers follow from it, so that a repeat finds what the first request made,
 * after a restart too. Without one they are random.
 */
function identify(
  secret: string,
  chatbot: StoredChatbot,
  address: string,
  known: StoredSession | undefined,
  id: string | undefined,
): { session: string; message: string } {
  if (id === undefined) {
    const session = known?.uuid ?? newUuid();
    return { session, message: messageUuid(session) };
  }
  const session = known?.uuid ?? derivedUuid(secret, 'session', chatbot.uuid, address, id);
  return { session, message: messageUuid(session, derivedUuid(secret, 'message', session, id)) };
}

/** The session, if it is one of this chatbot's. */
export async function ownSession(store: Store, chatbot: StoredChatbot, written: string): Promise<StoredSession> {
  const uuid = readUuid(written);
  const session = uuid === undefined ? undefined : await store.session(uuid);
  if (session?.chatbot !== chatbot.uuid) throw notFound('session');
  return session;
}

export function newSession(
  upstream: Upstream,
  chatbot: StoredChatbot,
  clock: Clock,
  variables: StoredSession['initial_variables'],
  uuid: string = newUuid(),
): StoredSession {
  const now = timestamp(clock);
  return {
    uuid,
    created_at: now,
    modified_at: now,
    chatbot: chatbot.uuid,
    ...(variables ? { initial_variables: variables } : {}),
    ...upstream.newSession,
  };
}
