import * as Type from 'typebox';
import { defaultAgent } from '../agents/agents.ts';
import { later, newUuid, timestamp, view } from '../records.ts';
import { Chatbot, Success } from '../schema.ts';
import type { StoredChatbot } from '../store/store.ts';
import { ChatbotChange, NewChatbot } from './bodies.ts';
import { shown } from '../list.ts';
import { operation, ownedChatbot, type Operation, type Rooms } from './operation.ts';

export const chatbots = ({ store, knowledge, answering, clock }: Rooms): Operation[] => [
  operation({
    method: 'POST',
    path: '/api/v1/chatbot/create',
    summary: 'Create a chatbot with its default agent',
    body: NewChatbot,
    reply: Chatbot,
    async handle({ user, body }) {
      const now = timestamp(clock);
      const { name, ...meta } = body;
      const chatbot: StoredChatbot = {
        uuid: newUuid(),
        name,
        created_at: now,
        modified_at: now,
        meta: { ...CHATBOT_META, ...meta },
        owner: user.uuid,
      };
      await store.createChatbot(chatbot, [defaultAgent(chatbot.uuid, clock)]);
      return view(Chatbot, chatbot);
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v1/chatbots',
    summary: 'Fetch all chatbots of the caller',
    reply: Type.Array(Chatbot),
    handle: async ({ user }) => shown(await store.chatbots(user.uuid), (chatbot) => view(Chatbot, chatbot)),
  }),
  operation({
    method: 'GET',
    path: '/api/v1/chatbot/:uuid',
    summary: 'Fetch a chatbot',
    reply: Chatbot,
    handle: async ({ user, uuid }) => view(Chatbot, await ownedChatbot(store, user, uuid)),
  }),
  operation({
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/update',
    summary: 'Update a chatbot; what is not sent keeps its value',
    body: ChatbotChange,
    reply: Chatbot,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const { name, ...meta } = body;
      const changed = await store.updateChatbot(uuid, (chatbot) => ({
        ...chatbot,
        name: name ?? chatbot.name,
        meta: { ...chatbot.meta, ...meta },
        modified_at: later(chatbot.modified_at, clock),
      }));
      return view(Chatbot, changed ?? (await ownedChatbot(store, user, uuid)));
    },
  }),
  operation({
    method: 'DELETE',
    path: '/api/v1/chatbot/:uuid/delete',
    summary: 'Delete a chatbot with all that belongs to it',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      await answering.stopAll(uuid);
      await store.deleteChatbot(uuid);
      knowledge.drop(uuid);
      return { success: true };
    },
  }),
];

/** The defaults of INTERFACE.md, Records. */
export const CHATBOT_META: Chatbot['meta'] = {
  rate_limit: [20, 240],
  rate_limit_message: 'Too many messages',
  show_citations: false,
  visibility: 'private',
};
