import { attemptEachConcurrent } from '../../async/for-each-concurrent.ts';
import type { StoreContext } from './context.ts';
import { cloneJson, deepFreeze } from '../clone-json.ts';
import { roleIn } from '../shared/members.ts';
import type { Store, StoredChatbot } from '../store.ts';

type ChatbotVerbs = 'createChatbot' | 'chatbot' | 'chatbots' | 'chatbotsOf' | 'updateChatbot' | 'deleteChatbot';
type AgentVerbs = 'agents' | 'createAgent' | 'agent' | 'agentWithFunction' | 'updateAgent' | 'deleteAgent';
type TagVerbs = 'createTag' | 'tag' | 'tags' | 'updateTag' | 'deleteTag';

/** Chatbots, and the agents and tags in their files. */
export function chatbotVerbs(context: StoreContext): Pick<Store, ChatbotVerbs | AgentVerbs | TagVerbs> {
  const { chatbots, agents, tags, mutex, run } = context;

  return {
    async createChatbot(chatbot, withAgents) {
      const file = { order: context.nextOrder(), tags: [], sites: [], ...cloneJson({ chatbot, agents: withAgents }) };
      const { uuid } = file.chatbot;
      return run(() =>
        mutex.run(uuid, async () => {
          if (!chatbots.has(uuid)) await chatbots.create(file);
        }),
      );
    },
    chatbot: (uuid) => run(() => cloneForCaller(chatbots.file(uuid)?.chatbot)),
    chatbots: (owner) => run(() => chatbots.list((one) => one.owner === owner)),
    chatbotsOf: (user) => run(() => chatbots.list((one) => roleIn(one, user) !== undefined)),
    updateChatbot: (uuid, change) => run(() => chatbots.update(uuid, change)),
    deleteChatbot: (uuid) =>
      run(async () => {
        if (!(await chatbots.beginDeletion(uuid))) return false;
        await removeChatbotData(context, uuid);
        return true;
      }),

    agents: (chatbot) => run(() => agents.list(chatbot)),
    createAgent(agent, check) {
      const own = cloneJson(agent);
      return run(() => agents.create(own, check));
    },
    agent: (uuid) => run(() => agents.find(uuid)),
    agentWithFunction: (uuid) =>
      run(() => {
        const all = chatbots.fileContaining(uuid)?.agents ?? [];
        const found = all.find(({ tool_functions }) => tool_functions.some((one) => one.uuid === uuid));
        return found && agents.find(found.uuid);
      }),
    updateAgent: (uuid, change) => run(() => agents.update(uuid, change)),
    deleteAgent: (uuid) => run(() => agents.remove(uuid)),

    createTag(tag) {
      const own = cloneJson(tag);
      return run(() => tags.create(own));
    },
    tag: (uuid) => run(() => tags.find(uuid)),
    tags: (chatbot) => run(() => tags.list(chatbot)),
    updateTag: (uuid, change) => run(() => tags.update(uuid, change)),
    deleteTag: (uuid) => run(() => tags.remove(uuid)),
  };
}

/** Freezes the widget's settings instead of copying them: every question reads the chatbot, and they may be long. */
function cloneForCaller(chatbot: StoredChatbot | undefined): StoredChatbot | undefined {
  if (!chatbot?.widget) return cloneJson(chatbot);
  const { widget, ...rest } = chatbot;
  return { ...cloneJson(rest), widget: deepFreeze(widget) };
}

/** Removes the sources, sessions, figures and audit log of a chatbot after `beginDeletion`; waits for a source that is being created. */
export async function removeChatbotData(
  { chatbots, sources, indexes, sessions, found, figures, audit, mutex }: StoreContext,
  chatbot: string,
): Promise<void> {
  const removals = [
    () => mutex.run(chatbot, () => indexes.changing(chatbot, (forget) => sources.removeAll(chatbot, forget))),
    () => sessions.removeAll(chatbot),
    () => found.removeAll(chatbot),
    () => figures.removeAll(chatbot),
    () => audit.removeAll(chatbot),
  ];
  // An error in one does not stop the others.
  await attemptEachConcurrent(removals, (remove) => remove());
  await chatbots.finishDeletion(chatbot);
}
