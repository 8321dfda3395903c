import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import * as Type from 'typebox';
import type { Static } from 'typebox';
import type { Question } from '../../../answer/runs.ts';
import { noteOutcome, streamText, whenEnded } from '../../../answer/stream.ts';
import { Run } from '../../../answer/run.ts';
import { traceQuestion } from '../../../answer/trace/trace-question.ts';
import type { Identity } from '../../../http/auth.ts';
import { notFound, Refusal } from '../../../schema/errors.ts';
import { messageUuid, readUuid, view } from '../../../schema/ids.ts';
import { Message, Success } from '../../../schema/records.ts';
import { MessageTrace } from '../../../schema/trace.ts';
import { NewMessage, Uuids } from '../../requests/bodies.ts';
import { serializeList } from '../../../http/json-list.ts';
import {
  operation,
  ownedMessage,
  ownedSession,
  type OperationRequest,
  type Operation,
  type ApiDeps,
} from '../../requests/operation.ts';
import { PageQuery, paginate } from '../../requests/paging.ts';
import type { StoredMessage } from '../../../store/store.ts';
import type { Requester } from '../../requests/rights.ts';
import { transcript } from './transcript.ts';

export const messages = (deps: ApiDeps): Operation[] => {
  const { store, runs, respond } = deps;
  return [
    operation({
      id: 'streamMessage',
      right: 'edit',
      audit: 'none',
      method: 'POST',
      path: '/api/v1/session/:uuid/message/stream',
      summary: 'Ask a question; the answer is streamed as plain text',
      description:
        'The chunks of the reply, joined, are the answer. The message is stored before the reply ends. A caller who disconnects does not stop the answer; a reply that breaks off is incomplete. Errors before the first byte are JSON.',
      body: NewMessage,
      reply: 'text',
      async handle({ user, uuid, body, ctx }) {
        const question = await createQuestion(deps, 'streamMessage', { user, uuid, body, ctx });
        const run = runs.start(question, respond);
        await streamText(run, ctx.res, () => {
          ctx.respond = false;
        });
      },
    }),
    operation({
      id: 'createMessage',
      right: 'edit',
      audit: 'none',
      method: 'POST',
      path: '/api/v1/session/:uuid/message/non-stream',
      summary: 'Ask a question; the whole answer is one reply',
      description: 'An answer that is interrupted by a stop of the server is 503.',
      body: NewMessage,
      reply: Answer,
      async handle({ user, uuid, body, ctx }) {
        const question = await createQuestion(deps, 'createMessage', { user, uuid, body, ctx });
        return wholeAnswer(runs.start({ ...question, unstreamed: true }, respond), ctx.res);
      },
    }),
    operation({
      id: 'traceMessage',
      right: 'edit',
      audit: 'reads',
      method: 'POST',
      path: '/api/v1/session/:uuid/message/trace',
      summary: 'Explain how a question is answered, without storing it',
      description:
        'The question is answered as the next message of the session would be, by the same code: its earlier messages count, and a model is asked where there is one, which costs its tokens and credits. With `before` only those count that came before a message, so that an answer is explained at its place. No message is stored and nothing of the session is changed; functions that write are not called, nor are background agents.',
      body: TracedMessage,
      reply: MessageTrace,
      async handle({ user, uuid, body: { before, ...asked }, ctx }) {
        const { session, chatbot } = await ownedSession(store, user, uuid);
        const message = before === undefined ? undefined : await messageOf(deps, session.uuid, before);
        const own = { ...asked, chatbot, session, request: String(ctx.state.id) };
        return traceQuestion(deps, { ...own, ...(message && { before: message }) });
      },
    }),
    operation({
      id: 'listMessages',
      right: 'read conversations',
      audit: 'reads',
      method: 'GET',
      path: '/api/v1/session/:uuid/messages',
      summary: 'List the messages of a session, oldest first',
      query: PageQuery,
      reply: Type.Array(Message),
      async handle({ user, uuid, ctx }) {
        await ownedSession(store, user, uuid);
        return serializeList(paginate(await runs.messages(uuid), ctx.query), (message) => view(Message, message));
      },
    }),
    operation({
      id: 'getTranscript',
      right: 'read conversations',
      audit: 'reads',
      method: 'GET',
      path: '/api/v1/session/:uuid/messages/plain-text',
      summary: 'Fetch a session as text, in lines that begin with `User: ` and `Assistant: `',
      reply: 'text',
      async handle({ user, uuid, ctx }) {
        await ownedSession(store, user, uuid);
        ctx.set('Content-Type', 'text/plain; charset=utf-8');
        ctx.body = await transcript(await runs.messages(uuid));
      },
    }),
    operation({
      id: 'getMessage',
      right: 'read conversations',
      audit: 'reads',
      method: 'GET',
      path: '/api/v1/message/:uuid',
      summary: 'Fetch a message',
      reply: Message,
      async handle({ user, uuid }) {
        await ownedMessage(store, user, uuid);
        const message = await runs.message(uuid);
        if (!message) throw notFound('message');
        return view(Message, message);
      },
    }),
    operation({
      id: 'deleteMessage',
      right: 'change conversations',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/message/:uuid/delete',
      summary: 'Delete a message',
      description: 'An answer that is still generated is stopped.',
      reply: Success,
      async handle({ user, uuid }) {
        await ownedMessage(store, user, uuid);
        await deleteMessage(deps, uuid);
        return { success: true };
      },
    }),
    operation({
      id: 'deleteMessages',
      right: 'change conversations',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/messages/delete',
      summary: 'Delete messages: all, or none if one of them does not exist',
      body: Uuids,
      reply: Success,
      others: { 422: Type.Array(InvalidMessage) },
      async handle({ user, body, ctx }) {
        const uuids = body.uuids.map((uuid) => readUuid(uuid) ?? uuid);
        const unknownUuids = await findUnknown(deps, user, uuids);
        if (unknownUuids.length > 0) {
          ctx.status = 422;
          return unknownUuids.map((uuid) => ({ uuid, error: 'invalid message' }));
        }
        await Promise.all([...new Set(uuids)].map((uuid) => deleteMessage(deps, uuid)));
        return { success: true };
      },
    }),
  ];
};

const TracedMessage = Type.Object({
  ...NewMessage.properties,
  before: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Uuid of a message of the session. All of its messages count by default.',
    }),
  ),
});

async function messageOf({ store }: ApiDeps, session: string, uuid: string): Promise<StoredMessage> {
  const message = await store.message(readUuid(uuid) ?? '');
  if (message?.session !== session)
    throw new Refusal('invalid_field', 'before must be the uuid of a message of the session', { field: 'before' });
  return message;
}

const InvalidMessage = Type.Object(
  { uuid: Type.String(), error: Type.Literal('invalid message') },
  { additionalProperties: false },
);

const Answer = Type.Object({ response: Type.String() }, { additionalProperties: false });

async function createQuestion(
  { store, audit }: ApiDeps,
  operation: string,
  { user, uuid, body, ctx }: Omit<OperationRequest<Static<typeof NewMessage>>, 'once' | 'record' | 'note'>,
): Promise<Question> {
  const { session, chatbot } = await ownedSession(store, user, uuid);
  // A visitor's conversation. In a session that a key has made the message is the record of it.
  if (!session.by_key && !session.by_proxy)
    await audit.read(ctx.state.identity as Identity, { operation, chatbot: chatbot.uuid, record: uuid });
  const request = String(ctx.state.id);
  return { uuid: messageUuid(uuid), ...body, chatbot, session, newSession: false, request };
}

/** A part of an answer is not handed out as the whole: what there was is stored with the message. */
async function wholeAnswer(run: Run, res: ServerResponse): Promise<{ response: string }> {
  const ended = await whenEnded(run);
  noteOutcome(res, ended);
  const { message, refusal } = ended;
  if (refusal || !message) throw refusal;
  if (message.finish_reason === 'interrupted') {
    throw new Refusal('unavailable', 'the server stopped before the answer was whole', { retryAfter: 5 });
  }
  return { response: message.response };
}

/** A message that is being made is ended first: its end would bring it back. */
async function deleteMessage({ store, runs }: ApiDeps, uuid: string): Promise<void> {
  const run = await runs.find(uuid);
  if (run instanceof Run) {
    run.stop();
    await whenEnded(run);
  }
  await store.deleteMessage(uuid);
}

/** Those that name no message of the user's. One at a time: each is looked for in a file. */
async function findUnknown({ store }: ApiDeps, user: Requester, uuids: string[]): Promise<string[]> {
  const strange: string[] = [];
  for (const uuid of uuids) {
    await setImmediate();
    await ownedMessage(store, user, uuid).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
      strange.push(uuid);
    });
  }
  return strange;
}
