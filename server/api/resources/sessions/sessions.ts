import * as Type from 'typebox';
import { invalid, notFound } from '../../../schema/errors.ts';
import { timestamp, view } from '../../../schema/ids.ts';
import { Session, SessionWithMeta, Success } from '../../../schema/records.ts';
import { OUTCOMES } from '../../../store/outcomes.ts';
import type { StoredSession } from '../../../store/store.ts';
import type { Outcome } from '../../../types.ts';
import { NewSession } from '../../requests/bodies.ts';
import { serializeBatches } from '../../../http/json-list.ts';
import {
  isTest,
  mayReach,
  operation,
  ownedChatbot,
  ownedSession,
  type Operation,
  type ApiDeps,
} from '../../requests/operation.ts';
import { unknownAfter, PageQuery, readPage } from '../../requests/paging.ts';
import { TimeRangeQuery, createTimeFilter } from '../../requests/time-range.ts';

export const sessions = ({ store, runs, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'createSession',
    right: 'edit',
    audit: 'none',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/session/create',
    summary: 'Create a session',
    body: NewSession,
    reply: Session,
    async handle({ user, uuid, body: { from_visitor, ...body }, record }) {
      await ownedChatbot(store, user, uuid);
      const now = timestamp(clock);
      const dated = { created_at: now, modified_at: now };
      const origin = from_visitor ? { by_proxy: true as const } : { by_key: true as const };
      const session = await record.make<StoredSession>(store.session, async (own) => {
        const created = { uuid: own, ...dated, ...body, ...origin, chatbot: uuid };
        return (await store.createSession(created)) ? created : undefined;
      });
      if (!session) throw notFound('chatbot');
      return view(Session, session);
    },
  }),
  operation({
    id: 'listSessions',
    right: 'read conversations',
    audit: 'reads',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/sessions',
    summary: 'List the sessions of a chatbot, oldest first',
    query: Type.Object({ ...TimeRangeQuery.properties, ...OutcomeQuery.properties, ...PageQuery.properties }),
    reply: Type.Array(Session),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const isInTimeRange = createTimeFilter(ctx.query);
      const outcome = readOutcome(ctx.query['outcome']);
      const { limit, after } = readPage(ctx.query);
      const hasOutcome = outcome && ((session: StoredSession) => store.hasOutcome(session.uuid, outcome));
      const batches = await store.sessionBatches(uuid, after);
      if (!batches) throw unknownAfter();
      const isAwaited = () => ctx.writable;
      return serializeBatches(filtered(batches, isInTimeRange, hasOutcome), (session) => view(Session, session), {
        limit,
        isAwaited,
      });
    },
  }),
  operation({
    id: 'getSession',
    right: 'read conversations',
    audit: 'reads',
    method: 'GET',
    path: '/api/v1/session/:uuid',
    summary: 'Fetch a session',
    reply: SessionWithMeta,
    async handle({ user, uuid }) {
      const { session } = await ownedSession(store, user, uuid);
      const { live, variables } = session;
      return view(SessionWithMeta, { ...session, meta: { ...(live && { live }), ...(variables && { variables }) } });
    },
  }),
  operation({
    id: 'deleteSession',
    right: 'change conversations',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/session/:uuid/delete',
    summary: 'Delete a session with its messages',
    description: 'Answers that are still generated are stopped.',
    reply: Success,
    async handle({ user, uuid }) {
      const chatbot = await store.chatbotOf(uuid);
      const session = await store.session(uuid);
      const about = { isTest: session !== undefined && isTest(session) };
      if (chatbot === undefined || !(await mayReach(store, user, chatbot, about))) throw notFound('session');
      await runs.stopSession(uuid);
      // Another request may have deleted it meanwhile.
      if (!(await store.deleteSession(uuid))) throw notFound('session');
      return { success: true };
    },
  }),
];

const OutcomeQuery = Type.Object({
  outcome: Type.Optional(
    Type.Enum([...OUTCOMES], {
      description:
        'Only sessions with a message of this outcome: `answered`, `unknown` (no answer in the sources) or `unsure` (the closest quotes, which may not answer).',
    }),
  ),
});

function readOutcome(written: string | string[] | undefined): Outcome | undefined {
  const outcome = OUTCOMES.find((one) => one === written);
  if (written === undefined || outcome) return outcome;
  throw invalid('outcome', `outcome must be ${OUTCOMES.slice(0, -1).join(', ')} or ${OUTCOMES.at(-1)}`);
}

async function* filtered(
  batches: AsyncIterable<StoredSession[]>,
  wanted: (createdAt: string) => boolean,
  ended: ((session: StoredSession) => Promise<boolean>) | undefined,
): AsyncGenerator<StoredSession[]> {
  for await (const batch of batches) {
    const some = batch.filter(({ created_at }) => wanted(created_at));
    if (!ended) yield some;
    else {
      const matches = await Promise.all(some.map(ended));
      yield some.filter((_, at) => matches[at]);
    }
  }
}
