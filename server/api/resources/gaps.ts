import { changeHidden, findGaps, hiddenTermsOf } from '../../answer/gaps/gaps.ts';
import { invalid, notFound } from '../../schema/errors.ts';
import { GapList, GapChange, GapsQuery } from '../../schema/analytics.ts';
import { Success } from '../../schema/records.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';
import type { Requester } from '../requests/rights.ts';

export const gaps = ({ store, knowledge }: ApiDeps): Operation[] => {
  async function change(user: Requester, uuid: string, question: string, isHidden: boolean): Promise<unknown> {
    await ownedChatbot(store, user, uuid);
    const own = await hiddenTermsOf(store, question);
    const changed = await store.updateChatbot(uuid, (chatbot) => ({
      ...chatbot,
      hidden_gaps: changeHidden(chatbot.hidden_gaps ?? [], own, isHidden),
    }));
    if (!changed) throw notFound('chatbot');
    return { success: true };
  }

  return [
    operation({
      id: 'listGaps',
      right: 'edit',
      method: 'GET',
      path: '/api/v1/chatbot/:uuid/gaps',
      summary: 'List what visitors of a chatbot asked in vain, in groups of questions for the same thing',
      description:
        'Of the newest 600 messages of each kind: not known, answered with low confidence, voted down, and asked again in other words. A group that the sources answer by now is left out: the owner wrote the answer to its question, or the best passage is newer than its last question and would be quoted; of what was voted down or asked again only the owner’s answer counts. Nothing of it is stored: what is deleted is in no group.',
      query: GapsQuery,
      reply: GapList,
      async handle({ user, uuid, ctx }) {
        const { hidden } = ctx.query;
        if (hidden !== undefined && hidden !== 'true' && hidden !== 'false')
          throw invalid('hidden', 'hidden must be true or false');
        const { hidden_gaps = [] } = await ownedChatbot(store, user, uuid);
        return findGaps({ store, knowledge }, uuid, hidden_gaps, hidden === 'true');
      },
    }),
    operation({
      id: 'hideGap',
      right: 'edit',
      method: 'POST',
      path: '/api/v1/chatbot/:uuid/gap/hide',
      summary: 'Hide a group of questions: what is alike to it stays hidden, whoever asks it',
      description:
        'At most 200 are kept, as digests of the words and not as the words themselves; the oldest go first.',
      body: GapChange,
      reply: Success,
      handle: ({ user, uuid, body }) => change(user, uuid, body.question, true),
    }),
    operation({
      id: 'showGap',
      right: 'edit',
      method: 'POST',
      path: '/api/v1/chatbot/:uuid/gap/show',
      summary: 'Show a group of questions again that was hidden',
      body: GapChange,
      reply: Success,
      handle: ({ user, uuid, body }) => change(user, uuid, body.question, false),
    }),
  ];
};
