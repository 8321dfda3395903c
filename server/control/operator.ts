import { readEmail, userOf } from './users.ts';
import { askOnce } from '../answer/ask-once.ts';
import type { AnswerRuns, MessageMeta, Respond } from '../answer/runs.ts';
import { deleteChatbot } from '../api/resources/chatbots.ts';
import { traceQuestion } from '../answer/trace/trace-question.ts';
import { notFound, Refusal } from '../schema/errors.ts';
import type { MessageTrace } from '../schema/trace.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Clock } from '../schema/ids.ts';
import type { SnapshotStore } from '../store/archive/snapshot.ts';
import { isLastOwner } from '../store/shared/members.ts';
import type { Store, StoredChatbot, User } from '../store/store.ts';
import { deleteExpired } from './retention.ts';
import type { Citations } from '../types.ts';

/** What an operator does beyond the API, in which a user has chatbots of their own alone. */
interface Operator {
  /** Those of all users, then those of users that are gone. */
  chatbots(): Promise<ChatbotLine[]>;
  /** Asks as a visitor would, with citations. Nothing is stored. */
  ask(chatbot: string, query: string): Promise<Answer>;
  /** As `ask`, with how the answer came about. */
  explain(chatbot: string, query: string): Promise<MessageTrace>;
  /** Of all conversations from now on; those that are older are deleted. */
  keepConversations(chatbot: string, days: number): Promise<{ name: string; deleted: number }>;
  /** Whoever its owner is. */
  removeChatbot(uuid: string): Promise<void>;
  /** Ends the user's keys, too. Without `withChatbots`, refuses a user who has chatbots. */
  removeUser(email: string, withChatbots: boolean): Promise<RemovedUser>;
}

export interface ChatbotLine {
  uuid: string;
  name: string;
  /** Of its owner; '' where that user is gone. */
  email: string;
  visibility: string;
  /** How many there are, those that failed included. */
  sources: number;
  created_at: string;
}

export interface Answer {
  answer: string;
  sources: { marker: string; title: string; address: string }[];
  /** Why quotes stand in for the model's answer; '' where they do not. */
  fallback: string;
  /** Why the answer ends where it does; '' where it is whole. */
  fault: string;
}

export interface RemovedUser {
  email: string;
  /** How many were ended. */
  keys: number;
  /** The names of those that were deleted. */
  chatbots: string[];
}

interface OperatorDeps {
  store: Store;
  snapshots: Pick<SnapshotStore, 'snapshot'>;
  knowledge: Knowledge;
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
  ending?: AbortSignal;
}

export function createOperator(deps: OperatorDeps): Operator {
  const { store, snapshots } = deps;
  /** The chatbot, as if its visitors saw citations. */
  const citing = async (uuid: string): Promise<StoredChatbot> => {
    const chatbot = await store.chatbot(uuid);
    if (!chatbot) throw notFound('chatbot');
    return { ...chatbot, meta: { ...chatbot.meta, show_citations: true } };
  };
  const lineOf = async (email: string, { uuid, name, meta, created_at }: StoredChatbot): Promise<ChatbotLine> => ({
    uuid,
    name,
    email,
    visibility: meta.visibility,
    sources: await store.sourceCount(uuid),
    created_at,
  });
  /** Those of an upstream server have no owner. */
  function ownerless(all: StoredChatbot[], users: User[]): StoredChatbot[] {
    const known = new Set(['', ...users.map(({ uuid }) => uuid)]);
    return all.filter(({ owner }) => !known.has(owner));
  }
  return {
    async chatbots() {
      // Before the users: those who make chatbots meanwhile are among them.
      const all = await snapshots.snapshot((snapshot) => snapshot.allChatbots(), { skipsUnreadable: true });
      const users = await store.users();
      const lines = users.map(async ({ uuid, email }) =>
        (await store.chatbots(uuid)).map((chatbot) => lineOf(email, chatbot)),
      );
      const others = ownerless(all, users).map((chatbot) => lineOf('', chatbot));
      return Promise.all([...(await Promise.all(lines)).flat(), ...others]);
    },

    async removeChatbot(uuid) {
      if (!(await store.chatbot(uuid))) throw notFound('chatbot');
      await deleteChatbot(deps, uuid);
    },

    async ask(uuid, query) {
      const chatbot = await citing(uuid);
      const { response, cite_data_json, meta_json, error_message } = await askOnce(deps, chatbot, query);
      const citations = Object.entries(JSON.parse(cite_data_json) as Citations);
      const sources = citations.map(([marker, { title, file_name }]) => ({ marker, title, address: file_name }));
      const { fallback = '' } = JSON.parse(meta_json) as Partial<MessageMeta>;
      return { answer: response, sources, fallback, fault: error_message };
    },

    explain: async (uuid, query) => traceQuestion(deps, { chatbot: await citing(uuid), query }),

    async keepConversations(uuid, days) {
      const chatbot = await store.updateChatbot(uuid, (one) => ({ ...one, keep_days: days }));
      if (!chatbot) throw notFound('chatbot');
      return { name: chatbot.name, deleted: await deleteExpired(deps, chatbot, deps.ending) };
    },

    async removeUser(input, withChatbots) {
      const { uuid, email } = await userOf(store, readEmail(input));
      if (uuid === store.owner.user.uuid) throw new Refusal('conflict', `${email} owns this installation and stays`);
      /** The others go on with another owner. */
      const ownAlone = async () => (await store.chatbots(uuid)).filter((one) => isLastOwner(one, uuid));
      const chatbots = await ownAlone();
      if (chatbots.length > 0 && !withChatbots) {
        const names = chatbots.map(({ name }) => name).join(', ');
        throw new Refusal('conflict', `${email} has chatbots: ${names}; --with-chatbots deletes them, too`);
      }
      const keys = (await store.keys()).filter((key) => key.user === uuid).length;
      const deleted: string[] = [];
      const deleteAll = async (): Promise<void> => {
        for (const chatbot of await ownAlone()) {
          await deleteChatbot(deps, chatbot.uuid);
          deleted.push(chatbot.name);
        }
      };
      await deleteAll();
      await store.removeUser(uuid);
      // A request that was authorized before may have created another.
      await deleteAll();
      return { email, keys, chatbots: deleted };
    },
  };
}
