import type { PendingQuery, Row } from 'postgres';
import { deepFreeze } from '../clone-json.ts';
import { isChatbot } from '../record-checks.ts';
import type { Change, Store, StoredAgent, StoredChatbot, StoredTag } from '../store.ts';
import { inTransaction } from './connection.ts';
import { arrayOf, storeChatbot, usersIn } from './shared/team.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { readRecord } from './records/read.ts';
import { SubRecords } from './records/sub-records.ts';

type ChatbotVerbs =
  'createChatbot' | 'chatbot' | 'chatbots' | 'chatbotsOf' | 'updateChatbot' | 'joinChatbot' | 'deleteChatbot';
type AgentVerbs = 'agents' | 'createAgent' | 'agent' | 'agentWithFunction' | 'updateAgent' | 'deleteAgent';
type TagVerbs = 'createTag' | 'tag' | 'tags' | 'updateTag' | 'deleteTag';

/** Chatbots, and their agents and tags. */
export function chatbotVerbs(context: PostgresContext): Pick<Store, ChatbotVerbs | AgentVerbs | TagVerbs> {
  const { sql, mutex, run, nextOrder, deletions, versions, bus, unreadable } = context;
  const agents = new SubRecords<StoredAgent>(context, {
    table: 'agents',
    links: 'agent_sources',
    async after(tx, { uuid, tool_functions }) {
      await tx`delete from tool_functions where agent = ${uuid}`;
      for (const one of tool_functions) {
        await tx`insert into tool_functions (uuid, agent) values (${one.uuid}, ${uuid}) on conflict do nothing`;
      }
    },
  });
  const tags = new SubRecords<StoredTag>(context, { table: 'tags', links: 'tag_sources' });

  function find(uuid: string, json: string): StoredChatbot | undefined {
    const chatbot = readRecord<StoredChatbot>(context, 'chatbots', { key: uuid, json, chatbot: uuid }, isChatbot);
    return chatbot && frozen(chatbot);
  }

  /** `joins`: a user who has to be there. */
  const updateChatbot = (
    uuid: string,
    change: Change<StoredChatbot>,
    joins?: string,
  ): Promise<StoredChatbot | undefined> =>
    mutex.run(uuid, () =>
      inTransaction(sql, async (tx) => {
        // The user first, as everywhere.
        const isThere =
          joins === undefined || (await tx`select 1 from users where uuid = ${joins} for key share`).count;
        if (!isThere) return undefined;
        const [row] = await tx<{ record: string }[]>`
          select record from chatbots where uuid = ${uuid} and not is_deleted for no key update`;
        if (!row) return undefined;
        const record = JSON.stringify(change(fromJson<StoredChatbot>(row.record)));
        const changed = frozen(fromJson<StoredChatbot>(record));
        await storeChatbot(tx, changed, record);
        return changed;
      }),
    );

  async function list(which: PendingQuery<Row[]>): Promise<StoredChatbot[]> {
    const rows = await sql<{ uuid: string; record: string }[]>`
      select uuid, record from chatbots where ${which} and not is_deleted order by n`;
    return rows.map(({ uuid, record }) => find(uuid, record)).filter((one) => one !== undefined);
  }

  async function createChatbot(record: string, withAgents: StoredAgent[], n: string): Promise<void> {
    const chatbot = fromJson<StoredChatbot>(record);
    const { uuid, owner } = chatbot;
    await mutex.run(uuid, () =>
      inTransaction(sql, async (tx) => {
        const { count } = await tx`
          insert into chatbots (uuid, n, owner, members, record, words_from)
          values (${uuid}, ${n}, ${owner}, ${usersIn(chatbot)}, ${record}, 0)
          on conflict do nothing`;
        if (count > 0) await tx`insert into passages (chatbot) values (${uuid})`;
        if (count > 0) for (const agent of withAgents) await agents.add(tx, agent, nextOrder());
      }),
    );
  }

  /** Known to all before the rest goes, which may take long: nothing more is stored in it. */
  async function deleteChatbot(uuid: string): Promise<boolean> {
    const marked = Promise.resolve(sql`update chatbots set is_deleted = true where uuid = ${uuid} and not is_deleted`);
    const known = marked.catch(() => {}).finally(() => deletions.delete(known));
    deletions.add(known);
    if ((await marked).count === 0) return false;
    await sql`delete from chatbots where uuid = ${uuid}`;
    unreadable?.clearChatbot(uuid);
    bus.publish('deleted chatbot', uuid);
    return true;
  }

  return {
    async createChatbot(chatbot, withAgents) {
      const [record, own, n] = [JSON.stringify(chatbot), structuredClone(withAgents), nextOrder()];
      return run(() => createChatbot(record, own, n));
    },
    chatbot: (uuid) =>
      run(async () => {
        const [row] = await sql<{ record: string; version: number }[]>`
          select record, coalesce((select version from passages where chatbot = uuid), 0)::float8 as version
          from chatbots where uuid = ${uuid} and not is_deleted`;
        const chatbot = row && find(uuid, row.record);
        if (!chatbot) return void versions.delete(uuid);
        versions.set(uuid, Math.max(row.version, versions.get(uuid) ?? 0));
        return chatbot;
      }),
    chatbots: (owner) => run(() => list(sql`owner = ${owner}`)),
    chatbotsOf: (user) => run(() => list(sql`(owner = ${user} or members @> ${arrayOf([user])})`)),
    updateChatbot: (uuid, change) => run(() => updateChatbot(uuid, change)),
    joinChatbot: (uuid, user, change) => run(() => updateChatbot(uuid, change, user)),
    deleteChatbot: (uuid) => run(() => deleteChatbot(uuid)),

    agents: (chatbot) => run(() => agents.list(chatbot)),
    createAgent(agent, check) {
      const own = structuredClone(agent);
      return run(() => agents.create(own, check));
    },
    agent: (uuid) => run(() => agents.find(uuid)),
    agentWithFunction: (uuid) =>
      run(async () => {
        const [found] = await agents.where(
          sql`where p.uuid = (select agent from tool_functions where uuid = ${uuid} limit 1)`,
        );
        return found;
      }),
    updateAgent: (uuid, change) => run(() => agents.update(uuid, change)),
    deleteAgent: (uuid) => run(() => agents.remove(uuid)),

    createTag(tag) {
      const own = structuredClone(tag);
      return run(() => tags.create(own));
    },
    tag: (uuid) => run(() => tags.find(uuid)),
    tags: (chatbot) => run(() => tags.list(chatbot)),
    updateTag: (uuid, change) => run(() => tags.update(uuid, change)),
    deleteTag: (uuid) => run(() => tags.remove(uuid)),
  };
}

/** The widget's settings are frozen, as they are by every engine. */
function frozen(chatbot: StoredChatbot): StoredChatbot {
  if (chatbot.widget) deepFreeze(chatbot.widget);
  return chatbot;
}
