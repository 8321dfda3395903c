import * as Type from 'typebox';
import type { Static } from 'typebox';
import { defaultAgent } from '../../agents/agents.ts';
import { unknownKey } from '../../http/auth.ts';
import { Refusal } from '../../schema/errors.ts';
import { nextModifiedAt, newUuid, timestamp, view, type Clock } from '../../schema/ids.ts';
import { Chatbot, Success } from '../../schema/records.ts';
import { DEFAULT_LIMIT_MESSAGE } from '../../schema/visitor.ts';
import type { Store, StoredChatbot } from '../../store/store.ts';
import { ChatbotChange, NewChatbot } from '../requests/bodies.ts';
import { serializeList } from '../../http/json-list.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../requests/operation.ts';
import { PageQuery, paginate } from '../requests/paging.ts';

export const chatbots = ({ store, knowledge, runs, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'createChatbot',
    right: 'signed in',
    audit: 'changes account',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/create',
    summary: 'Create a chatbot',
    description:
      'It has one enabled agent of type `user-facing`. Defaults: rate_limit [20, 240], rate_limit_message "Too many messages", show_citations false, visibility private.',
    body: NewChatbot,
    reply: Chatbot,
    async handle({ user, body, record }) {
      const { name, ...meta } = body;
      const chatbot = await record.make(store.chatbot, (uuid) =>
        createChatbot(store, clock, { uuid, owner: user.uuid, name, meta }),
      );
      return view(Chatbot, chatbot!);
    },
  }),
  operation({
    id: 'listChatbots',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbots',
    summary: 'List the chatbots of which the user is a member',
    query: PageQuery,
    reply: Type.Array(Chatbot),
    handle: async ({ user, ctx }) =>
      serializeList(paginate(await store.chatbotsOf(user.uuid), ctx.query), (chatbot) => view(Chatbot, chatbot)),
  }),
  operation({
    id: 'getChatbot',
    right: 'know',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid',
    summary: 'Fetch a chatbot',
    reply: Chatbot,
    handle: async ({ user, uuid }) => view(Chatbot, await ownedChatbot(store, user, uuid)),
  }),
  operation({
    id: 'updateChatbot',
    right: 'own',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/update',
    summary: 'Update a chatbot',
    description:
      'All of the request is stored, or nothing. `keep_days` is as `POST …/retention` takes it, and no part of the reply.',
    body: ChatbotChange,
    reply: Chatbot,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const changed = await changeChatbot(store, clock, uuid, body);
      return view(Chatbot, changed ?? (await ownedChatbot(store, user, uuid)));
    },
  }),
  operation({
    id: 'deleteChatbot',
    right: 'own',
    audit: 'changes account',
    method: 'DELETE',
    path: '/api/v1/chatbot/:uuid/delete',
    summary: 'Delete a chatbot',
    description: 'With its agents, sources, tags, sites, sessions and messages. Running answers are stopped.',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      await deleteChatbot({ store, runs, knowledge }, uuid);
      return { success: true };
    },
  }),
];

/**
 * With its default agent; `meta` lacks what is to be as by default. Refuses a guest: whoever invites could get themselves more
 * credits by inviting themselves. Refuses an owner who was removed meanwhile.
 */
export async function createChatbot(
  store: Store,
  clock: Clock,
  {
    uuid = newUuid(),
    owner,
    name,
    meta,
  }: { uuid?: string; owner: string; name: string; meta: Partial<StoredChatbot['meta']> },
): Promise<StoredChatbot> {
  const [user] = await store.usersByUuid([owner]);
  if (user?.invited)
    throw new Refusal(
      'forbidden',
      `you are a guest: to make chatbots of your own, ask whoever runs this server to add you with "docent user add ${user.email}"`,
    );
  const now = timestamp(clock);
  const record = { uuid, name, created_at: now, modified_at: now };
  const chatbot = { ...record, meta: { ...CHATBOT_META, ...meta }, owner };
  await store.createChatbot(chatbot, [defaultAgent(chatbot.uuid, clock)]);
  // Whoever removes the user lists their chatbots after that, and may have missed this one.
  if ((await store.usersByUuid([owner])).length > 0) return chatbot;
  await store.deleteChatbot(chatbot.uuid);
  throw unknownKey();
}

/** What is not sent keeps its value. Undefined where there is none. */
const changeChatbot = (
  store: Store,
  clock: Clock,
  uuid: string,
  { name, keep_days, ...meta }: Static<typeof ChatbotChange>,
): Promise<StoredChatbot | undefined> =>
  store.updateChatbot(uuid, (chatbot) => ({
    ...chatbot,
    name: name ?? chatbot.name,
    ...(keep_days !== undefined && { keep_days }),
    meta: { ...chatbot.meta, ...meta },
    modified_at: nextModifiedAt(chatbot.modified_at, clock),
  }));

/** With all that belongs to it; answers under way are stopped. */
export async function deleteChatbot(
  { store, runs, knowledge }: Pick<ApiDeps, 'store' | 'runs' | 'knowledge'>,
  uuid: string,
): Promise<void> {
  await runs.stopChatbot(uuid);
  await store.deleteChatbot(uuid);
  knowledge.removeChatbot(uuid);
}

/** The defaults of INTERFACE.md, Records. */
export const CHATBOT_META: Chatbot['meta'] = {
  rate_limit: [20, 240],
  rate_limit_message: DEFAULT_LIMIT_MESSAGE,
  show_citations: false,
  visibility: 'private',
};
