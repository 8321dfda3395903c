import { notFound } from '../../../schema/errors.ts';
import { scheduleOf } from '../../../knowledge/crawl/schedule.ts';
import { Schedule } from '../../../schema/records.ts';
import { NewSchedule } from '../../requests/bodies.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../../requests/operation.ts';

const path = '/api/v1/chatbot/:uuid/data-source/schedule';

export const schedule = ({ store, schedules }: ApiDeps): Operation[] => [
  operation({
    id: 'getSchedule',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path,
    summary: 'Fetch the schedule on which the pages of a chatbot are fetched again',
    reply: Schedule,
    handle: async ({ user, uuid }) => scheduleOf(await ownedChatbot(store, user, uuid)),
  }),
  operation({
    id: 'updateSchedule',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path,
    summary: 'Set the schedule on which the pages of a chatbot are fetched again',
    description: 'The first fetch is `hours` from now. 0, the default, is never.',
    body: NewSchedule,
    reply: Schedule,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const changed = await schedules.set(uuid, body.hours);
      if (!changed) throw notFound('chatbot');
      return changed;
    },
  }),
];
