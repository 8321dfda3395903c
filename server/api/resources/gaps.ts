import { changeHidden, findGaps, hiddenTermsOf } from '../../answer/gaps/gaps.ts';
import { invalid, notFound, Refusal } from '../../schema/errors.ts';
import { NewGapDraft, GapDraft, GapList, GapChange, GapsQuery } from '../../schema/analytics.ts';
import { Fault, Success } from '../../schema/records.ts';
import { countUse } from '../requests/count-use.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';
import type { Requester } from '../requests/rights.ts';

export const gaps = (deps: ApiDeps): Operation[] => {
  const { store, knowledge, draftGap } = deps;
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
      audit: 'reads',
      method: 'GET',
      path: '/api/v1/chatbot/:uuid/gaps',
      summary: 'List what visitors of a chatbot asked in vain, in groups of questions for the same thing',
      description:
        'Of the newest 600 messages of each kind: not known, answered with low confidence, voted down, and asked again in other words. A group that the sources answer by now is left out: the owner wrote the answer to its question, or what the best passage says has changed since its last question, and would be quoted as a sure answer; of what was voted down or asked again only an answer counts that the owner wrote or changed since. Nothing of it is stored: what is deleted is in no group.',
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
      audit: 'changes',
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
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/chatbot/:uuid/gap/show',
      summary: 'Show a group of questions again that was hidden',
      body: GapChange,
      reply: Success,
      handle: ({ user, uuid, body }) => change(user, uuid, body.question, false),
    }),
    operation({
      id: 'draftGap',
      right: 'edit',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/chatbot/:uuid/gap/draft',
      summary: 'Draft the answer to a group of questions, by the model',
      description:
        'The model gets the questions and the nearest passages, and is to say what these say, with blanks for the rest. Nothing is stored: what the owner makes of it becomes an answer by `data-source/qa`. A draft costs the credits of an answer of the first agent that answers visitors. 409 without a model, and where the credits of the month are spent. At most 20 in a minute: 429. It ends when its caller leaves.',
      body: NewGapDraft,
      reply: GapDraft,
      others: { 409: Fault, 429: Fault, 502: Fault, 504: Fault },
      async handle({ user, uuid, body, ctx }) {
        const chatbot = await ownedChatbot(store, user, uuid);
        if (!draftGap)
          throw new Refusal(
            'conflict',
            'no model writes drafts: set LLM_BASE_URL and LLM_MODEL where the server starts',
          );
        await countUse(deps, { ctx, user, operation: 'draftGap' });
        const left = new AbortController();
        ctx.res.once('close', () => left.abort());
        if (!ctx.writable) left.abort();
        return draftGap({ chatbot, questions: body.questions, request: String(ctx.state.id) }, left.signal);
      },
    }),
  ];
};
