import { readEmail, userOf } from './users.ts';
import { askOnce } from '../answer/ask-once.ts';
import type { AnswerRuns, MessageMeta, Respond } from '../answer/runs.ts';
import { ChatbotChange, NewChatbot, NewMessage } from '../api/requests/bodies.ts';
import { changeChatbot, createChatbot, deleteChatbot } from '../api/resources/chatbots.ts';
import { notFound, Refusal } from '../schema/errors.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { allChatbots, withName, namedChatbot } from './find-by-name.ts';
import type { Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot } from '../store/store.ts';
import type { Citations } from '../types.ts';
import { checked } from '../schema/validate.ts';

/**
 * What an operator does with chatbots by command. As with `Users`, each verb takes and gives what JSON can carry; one
 * that cannot be done throws a `Refusal` and has changed nothing.
 */
export interface Operator {
  /** For the first user; a name that a chatbot has is a `conflict`. Resolves with the script tag that puts it into a page. */
  addChatbot(name: string, visibility: string): Promise<{ uuid: string; tag: string }>;
  /** Those of all users. */
  chatbots(): Promise<ChatbotLine[]>;
  /** Changes who may ask it. Here and below `chatbot` is a uuid, or a name that is one chatbot's alone. */
  updateChatbot(chatbot: string, visibility: string): Promise<ChatbotLine>;
  /** Deletes it with all that belongs to it. Resolves with what it was. */
  removeChatbot(chatbot: string): Promise<ChatbotLine>;
  /** Its sources are always told. */
  ask(chatbot: string, question: string): Promise<Answer>;
  /** Ends the user's keys, too. `withChatbots` is '' to refuse a user who has chatbots. */
  removeUser(email: string, withChatbots: string): Promise<RemovedUser>;
}

export interface ChatbotLine {
  uuid: string;
  name: string;
  /** Of its owner. */
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

interface Rooms {
  store: Store;
  knowledge: Knowledge;
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
  /** How the world reaches the server, without a slash at the end. */
  base: string;
}

export function createOperator(rooms: Rooms): Operator {
  const { store, clock, base } = rooms;

  async function lines(chatbots: StoredChatbot[]): Promise<ChatbotLine[]> {
    const emails = new Map((await store.users()).map(({ uuid, email }) => [uuid, email]));
    return Promise.all(
      chatbots.map(async ({ uuid, name, owner, meta, created_at }) => ({
        uuid,
        name,
        email: emails.get(owner) ?? '',
        visibility: meta.visibility,
        sources: (await store.sources(uuid)).length,
        created_at,
      })),
    );
  }

  const lineOf = async (chatbot: StoredChatbot): Promise<ChatbotLine> => (await lines([chatbot]))[0]!;

  return {
    async addChatbot(written, visibility) {
      const { name, ...meta } = checked(NewChatbot, { name: written, visibility, show_citations: true });
      const [known] = withName(name, await allChatbots(store));
      if (known) throw taken(known);
      const { uuid } = await createChatbot(store, clock, { owner: store.home.user.uuid, name, meta });
      return { uuid, tag: `<script async src="${base}/embed.js" data-chatbot="${uuid}" data-settings></script>` };
    },

    async chatbots() {
      return lines(await allChatbots(store));
    },

    async updateChatbot(named, written) {
      const change = checked(ChatbotChange, { visibility: written });
      const chatbot = await namedChatbot(store, named);
      const changed = await changeChatbot(store, clock, chatbot.uuid, change);
      if (!changed) throw notFound('chatbot');
      return lineOf(changed);
    },

    async removeChatbot(named) {
      const chatbot = await namedChatbot(store, named);
      const line = await lineOf(chatbot);
      await deleteChatbot(rooms, chatbot.uuid);
      return line;
    },

    async ask(named, question) {
      const { query } = checked(NewMessage, { query: question });
      const chatbot = await namedChatbot(store, named);
      const citing = { ...chatbot, meta: { ...chatbot.meta, show_citations: true } };
      const { response, cite_data_json, meta_json, error_message } = await askOnce(rooms, citing, query);
      const cited = Object.entries(JSON.parse(cite_data_json) as Citations);
      const sources = cited.map(([marker, { title, file_name }]) => ({ marker, title, address: file_name }));
      const { fallback = '' } = JSON.parse(meta_json) as Partial<MessageMeta>;
      return { answer: response, sources, fallback, fault: error_message };
    },

    async removeUser(written, withChatbots) {
      const { uuid, email } = await userOf(store, readEmail(written));
      if (uuid === store.home.user.uuid) throw new Refusal('conflict', `${email} owns this data folder and stays`);
      const owned = await store.chatbots(uuid);
      if (owned.length > 0 && !withChatbots) {
        const names = owned.map(({ name }) => name).join(', ');
        throw new Refusal('conflict', `${email} has chatbots: ${names}; --with-chatbots deletes them, too`);
      }
      const keys = (await store.keys()).filter((key) => key.user === uuid).length;
      const names: string[] = [];
      const deleteOwned = async (): Promise<void> => {
        for (const chatbot of await store.chatbots(uuid)) {
          await deleteChatbot(rooms, chatbot.uuid);
          names.push(chatbot.name);
        }
      };
      await deleteOwned();
      await store.removeUser(uuid);
      // A request that came before may have made another.
      await deleteOwned();
      return { email, keys, chatbots: names };
    },
  };
}

const taken = ({ name, uuid }: StoredChatbot): Refusal =>
  new Refusal(
    'conflict',
    `there is a chatbot "${name}" already; "docent learn ${uuid} URL --site" teaches it, or choose another name`,
  );
