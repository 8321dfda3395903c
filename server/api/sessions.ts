import * as Type from 'typebox';
import { notFound } from '../errors.ts';
import { newUuid, timestamp, view } from '../records.ts';
import { Session, SessionWithMeta, Success } from '../schema.ts';
import type { StoredSession } from '../store/store.ts';
import { NewSession } from './bodies.ts';
import { shownAsRead } from '../list.ts';
import { operation, ownedChatbot, ownedSession, type Operation, type Rooms } from './operation.ts';
import { noSuchAfter, Page, readPage } from './page.ts';
import { Period, within } from './period.ts';

export const sessions = ({ store, answering, clock }: Rooms): Operation[] => [
  operation({
    id: 'createSession',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/session/create',
    summary: 'Create a session',
    body: NewSession,
    reply: Session,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const now = timestamp(clock);
      const session: StoredSession = { uuid: newUuid(), created_at: now, modified_at: now, ...body, chatbot: uuid };
      if (!(await store.createSession(session))) throw notFound('chatbot');
      return view(Session, session);
    },
  }),
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/sessions',
    summary: 'Fetch the sessions of a chatbot, oldest first',
    query: Type.Object({ ...Period.properties, ...Page.properties }),
    reply: Type.Array(Session),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const wanted = within(ctx.query);
      const { limit, after } = readPage(ctx.query);
      const batches = await store.sessionBatches(uuid, after);
      if (!batches) throw noSuchAfter();
      return shownAsRead(filtered(batches, wanted), (session) => view(Session, session), limit);
    },
  }),
  operation({
    id: 'getSession',
    method: 'GET',
    path: '/api/v1/session/:uuid',
    summary: 'Fetch a session',
    reply: SessionWithMeta,
    async handle({ user, uuid }) {
      const { session } = await ownedSession(store, user, uuid);
      return view(SessionWithMeta, { ...session, meta: {} });
    },
  }),
  operation({
    id: 'deleteSession',
    method: 'POST',
    path: '/api/v1/session/:uuid/delete',
    summary: 'Delete a session with its messages',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedSession(store, user, uuid);
      await answering.stopSession(uuid);
      // Another request may have deleted it meanwhile.
      if (!(await store.deleteSession(uuid))) throw notFound('session');
      return { success: true };
    },
  }),
];

async function* filtered(
  batches: AsyncIterable<StoredSession[]>,
  wanted: (createdAt: string) => boolean,
): AsyncGenerator<StoredSession[]> {
  for await (const some of batches) yield some.filter(({ created_at }) => wanted(created_at));
}
