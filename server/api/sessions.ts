import Type from 'typebox';
import { notFound } from '../errors.ts';
import { messageUuid, newUuid, timestamp, view } from '../records.ts';
import { Message, Session, Success } from '../schema.ts';
import { streamText } from '../answer/readers.ts';
import { NewMessage } from './bodies.ts';
import { operation, ownedChatbot, ownedSession, type Operation, type Rooms } from './operation.ts';

export const sessions = ({ store, answering, respond, clock }: Rooms): Operation[] => [
  operation({
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/session/create',
    summary: 'Create a session',
    reply: Session,
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      const now = timestamp(clock);
      const session = { uuid: newUuid(), created_at: now, modified_at: now, chatbot: uuid };
      if (!(await store.createSession(session))) throw notFound('chatbot');
      return view(Session, session);
    },
  }),
  operation({
    method: 'POST',
    path: '/api/v1/session/:uuid/delete',
    summary: 'Delete a session with its messages',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedSession(store, user, uuid);
      await store.deleteSession(uuid);
      return { success: true };
    },
  }),
  operation({
    method: 'POST',
    path: '/api/v1/session/:uuid/message/stream',
    summary: 'Ask; the chunks of the reply, joined, are the answer',
    body: NewMessage,
    reply: 'text',
    async handle({ user, uuid, body, ctx }) {
      const { session, chatbot } = await ownedSession(store, user, uuid);
      const run = answering.start({
        uuid: messageUuid(uuid),
        query: body.query,
        chatbot,
        session,
        newSession: false,
        respond,
      });
      await streamText(run, ctx.res, () => {
        ctx.respond = false;
      });
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v1/session/:uuid/messages',
    summary: 'Fetch all messages of a session, oldest first',
    reply: Type.Array(Message),
    async handle({ user, uuid }) {
      await ownedSession(store, user, uuid);
      return (await answering.messages(uuid)).map((message) => view(Message, message));
    },
  }),
];
