import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { AnswerRuns } from '../answer/runs.ts';
import { createCapacity, type Capacity } from '../answer/capacity.ts';
import { withoutReplaced } from '../answer/message-records.ts';
import { whenEnded } from '../answer/stream.ts';
import { Run } from '../answer/run.ts';
import { invalid, notFound, Refusal } from '../schema/errors.ts';
import { readBody } from '../http/body.ts';
import { serializeList } from '../http/json-list.ts';
import { nextModifiedAt, readUuid, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot, StoredMessage, StoredSession } from '../store/store.ts';
import type { ChatEvent } from '../types.ts';
import { ConfirmBody, FeedbackBody } from '../schema/visitor.ts';
import { releaseOnClose, visitorMessage, type EventStreams } from './sse.ts';
import type { VisitorSessions } from './sessions.ts';
import type { Upstream } from './upstream/upstream.ts';

interface ConversationDeps {
  store: Store;
  runs: AnswerRuns;
  upstream: Upstream;
  clock: Clock;
  log: Logger;
  events: EventStreams;
  sessions: VisitorSessions;
  /** Capacity for bytes that replies buffer until they are read. */
  unreadBytes: Capacity;
  addressOf(ctx: Context): string;
}

/** A request to a chatbot that is not private. */
export interface VisitorRequest {
  chatbot: StoredChatbot;
  ctx: RouterContext;
}

const DONE = { success: true };

/** Message lists being serialised or read at a time, per address and in all: each is as long as its conversation. */
const LISTS = { each: 16, all: 64 };

/** The handlers of a visitor's session and its messages. */
export function createConversations(deps: ConversationDeps) {
  const { store, runs, upstream, clock, log, events, sessions, unreadBytes, addressOf } = deps;
  const lists = createCapacity(LISTS);
  const sessionOf = ({ chatbot, ctx }: VisitorRequest): Promise<StoredSession> =>
    sessions.find(chatbot, ctx.params['session'] ?? '');

  /** The run of an answer in progress, else the stored message. */
  async function messageOf(request: VisitorRequest): Promise<Run | StoredMessage> {
    const session = await sessionOf(request);
    const uuid = readUuid(request.ctx.params['message'] ?? '') ?? '';
    const found = await runs.find(uuid);
    const message = found instanceof Run ? found.message : found;
    if (!found || message?.session !== session.uuid) throw notFound('message');
    return found;
  }

  /** The message once it is finished and stored. */
  async function finishedMessage(
    request: VisitorRequest,
    onRun: (run: Run) => void = () => {},
  ): Promise<StoredMessage> {
    const found = await messageOf(request);
    if (!(found instanceof Run)) return found;
    onRun(found);
    const { message, refusal } = await whenEnded(found);
    if (!message) throw refusal;
    return message;
  }

  /** By message. */
  const confirming = new Map<string, Promise<Run>>();

  return {
    async messages(request: VisitorRequest): Promise<unknown> {
      const { ctx } = request;
      const { uuid } = await sessionOf(request);
      const address = addressOf(ctx);
      releaseOnClose(ctx.res, lists.take(address));
      const now = clock();
      const list = await serializeList(withoutReplaced(await runs.messages(uuid)), (message) =>
        visitorMessage(message, now),
      );
      releaseOnClose(ctx.res, unreadBytes.take(address, list.length));
      ctx.type = 'json';
      return list;
    },

    async deleteSession({ chatbot, ctx }: VisitorRequest): Promise<unknown> {
      const uuid = await sessions.findUuid(chatbot, ctx.params['session'] ?? '');
      await runs.stopSession(uuid);
      // The upstream's session first: where that fails, the visitor can try again. The answer that was stopped may have
      // created it meanwhile.
      await upstream.deleteSession(uuid);
      await store.deleteSession(uuid);
      return DONE;
    },

    async resume(request: VisitorRequest): Promise<void> {
      const { ctx } = request;
      const address = addressOf(ctx);
      events.admit(address, ctx.res);
      const found = await messageOf(request);
      const offset = ctx.get('Last-Event-ID');
      if (!/^\d{0,9}$/.test(offset)) {
        throw invalid('Last-Event-ID', 'Last-Event-ID must be the id of an event: a whole number');
      }
      const uuid = found instanceof Run ? found.message.uuid : found.uuid;
      // A client that resumes already has the `message` event.
      const first: ChatEvent[] = offset === '' ? [{ event: 'message', data: { uuid } }] : [];
      events.send(found, ctx.res, { address, from: Number(offset), first, failure: upstream.failure });
      ctx.respond = false;
    },

    async stop(request: VisitorRequest): Promise<unknown> {
      // What is being confirmed is no run before it is durable.
      await confirming.get(readUuid(request.ctx.params['message'] ?? '') ?? '')?.catch(() => {});
      await finishedMessage(request, (run) => run.stop());
      return DONE;
    },

    /** Goes on with a message whose call waits for the visitor. */
    async confirm(request: VisitorRequest): Promise<void> {
      const { chatbot, ctx } = request;
      const { accept } = await readBody(ctx, log, ConfirmBody);
      const address = addressOf(ctx);
      const session = await sessionOf(request);
      const found = await messageOf(request);
      const message = found instanceof Run ? found.ended?.message : found;
      if (!message) throw new Refusal('conflict', 'the answer is still being made');
      events.admit(address, ctx.res);
      const { uuid, query, response } = message;
      const question = { uuid, query, chatbot, session, newSession: false, visitor: address };
      const more = { request: String(ctx.state.id), acceptedLanguages: ctx.acceptsLanguages() };
      const confirmed = runs.confirm({ ...question, ...more }, accept, upstream.respond);
      if (!confirming.has(uuid)) confirming.set(uuid, confirmed);
      const run = await confirmed.finally(() => confirming.get(uuid) === confirmed && confirming.delete(uuid));
      const first: ChatEvent[] = [{ event: 'message', data: { uuid } }];
      events.send(run, ctx.res, { address, from: response.length, first, failure: upstream.failure });
      ctx.respond = false;
    },

    async feedback(request: VisitorRequest): Promise<unknown> {
      const { rating, comment } = await readBody(request.ctx, log, FeedbackBody);
      const { uuid } = await finishedMessage(request);
      const feedback_json = JSON.stringify({ rating, ...(comment === undefined ? {} : { comment }) });
      let before: StoredMessage | undefined;
      const rated = await store.updateMessage(uuid, (message) => {
        before = { ...message };
        return { ...message, feedback_json, modified_at: nextModifiedAt(message.modified_at, clock) };
      });
      if (!rated || !before) throw notFound('message');
      runs.figures.rated(request.chatbot, rated, before);
      return DONE;
    },
  };
}
