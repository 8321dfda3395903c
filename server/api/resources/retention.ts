import * as Type from 'typebox';
import { notFound } from '../../schema/errors.ts';
import { KeepDays, record } from '../../schema/fields.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';

const Retention = record({ keep_days: KeepDays });

const path = '/api/v1/chatbot/:uuid/retention';

export const retention = ({ store }: ApiDeps): Operation[] => [
  operation({
    id: 'getRetention',
    right: 'know',
    audit: 'none',
    method: 'GET',
    path,
    summary: 'Fetch how long a chatbot keeps conversations',
    reply: Retention,
    handle: async ({ user, uuid }) => ({ keep_days: (await ownedChatbot(store, user, uuid)).keep_days ?? 0 }),
  }),
  operation({
    id: 'updateRetention',
    right: 'own',
    audit: 'changes',
    method: 'POST',
    path,
    summary: 'Set how long a chatbot keeps conversations',
    description: 'What is older is deleted within an hour.',
    body: Type.Object({ keep_days: KeepDays }),
    reply: Retention,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const changed = await store.updateChatbot(uuid, (one) => ({ ...one, keep_days: body.keep_days }));
      if (!changed) throw notFound('chatbot');
      return { keep_days: changed.keep_days ?? 0 };
    },
  }),
];
