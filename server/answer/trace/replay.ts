import { TimeSlice } from '../../async/time-slice.ts';
import { isClose } from '../../agents/routing/choose.ts';
import { factsOf, type AgentRouter } from '../../agents/routing/router.ts';
import { valuesOf, type Values } from '../../agents/variables.ts';
import type { AgentSettings } from '../../schema/records.ts';
import type { RoutingReplay } from '../../schema/routing.ts';
import type { Store, StoredAgent } from '../../store/store.ts';
import { MAX_TURNS } from '../prompt.ts';
import { readTalk } from '../small-talk/talk.ts';

type FoundMessage = NonNullable<Awaited<ReturnType<Store['findMessages']>>>['messages'][number];

const [MAX_REPLAYED, MAX_SHOWN] = [1000, 100];
/** Pages of the search: while its index is being made, as after an update, one may end after 21 sessions of one message each. */
const MAX_PAGES = 100;

interface ReplayDeps {
  store: Pick<Store, 'chatbot' | 'findMessages' | 'session'>;
  router: AgentRouter;
}

type Changed = { uuid: string } & Partial<Pick<AgentSettings, 'bias' | 'stickness'>>;

/** Chooses anew who answers the newest messages, by the agents as they are and with these changes. Nothing is stored or asked. */
export async function replayRouting(
  { store, router }: ReplayDeps,
  chatbot: string,
  agents: readonly StoredAgent[],
  changes: readonly Changed[],
): Promise<RoutingReplay> {
  const enabled = agents.filter(({ enabled: on, type }) => on === 1 && type !== 'background');
  const changed = enabled.map((agent) => withChange(agent, changes));
  const name = (await store.chatbot(chatbot))?.name ?? '';
  const canPass = enabled.some(({ type }) => type === 'human-escalation');
  const needsValues = JSON.stringify(enabled.map(({ routing }) => routing?.rules ?? [])).includes('"variable":');
  const slice = new TimeSlice();
  const found = await newest(store, chatbot);
  const chooser = await router.chooserOf(enabled, true);
  const result: RoutingReplay = { replayed: 0, moved: 0, close: 0, messages: [] };
  for (const messages of bySession(found)) {
    const session = needsValues ? await store.session(messages[0]!.session) : undefined;
    const values: Values = session ? valuesOf(agents, session) : {};
    for (const [at, message] of messages.entries()) {
      if (slice.isOver) await slice.renew();
      const { uuid, query, created_at } = message;
      // The newest is the first.
      const before = messages.slice(at + 1);
      const answered = before.map(({ agent }) => agent.uuid).filter(Boolean);
      const talk = await readTalk(query, { name, canPass });
      const asked = {
        query,
        turns: before.slice(0, MAX_TURNS).map((one) => one.query),
        facts: factsOf(values, before.length, answered),
        answered,
        smallTalk: talk?.isLike,
      };
      const [was, is] = [chooser(asked), chooser(asked, changed)];
      result.replayed++;
      if ([was, is].some(({ record }) => record && isClose(record))) result.close++;
      if (was.agent?.uuid === is.agent?.uuid) continue;
      result.moved++;
      if (result.messages.length < MAX_SHOWN)
        result.messages.push({
          uuid,
          session: message.session,
          query,
          created_at,
          from: named(was.agent),
          to: named(is.agent),
        });
    }
  }
  return result;
}

/** In the order of their newest; of one the newest is the first. */
function bySession(found: FoundMessage[]): Iterable<FoundMessage[]> {
  const sessions = new Map<string, FoundMessage[]>();
  for (const message of found) {
    const known = sessions.get(message.session);
    if (known) known.push(message);
    else sessions.set(message.session, [message]);
  }
  return sessions.values();
}

const named = (agent: StoredAgent | undefined) => ({ uuid: agent?.uuid ?? '', name: agent?.name ?? '' });

function withChange(agent: StoredAgent, changes: readonly Changed[]): StoredAgent {
  const { bias, stickness } = changes.findLast(({ uuid }) => uuid === agent.uuid) ?? {};
  const { meta } = agent;
  return {
    ...agent,
    meta: { ...meta, ...(bias === undefined ? {} : { bias }), ...(stickness === undefined ? {} : { stickness }) },
  };
}

async function newest(store: ReplayDeps['store'], chatbot: string): Promise<FoundMessage[]> {
  const found: FoundMessage[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && found.length < MAX_REPLAYED; pages++) {
    const page = await store.findMessages(chatbot, {}, { after, limit: MAX_REPLAYED - found.length });
    if (!page) break;
    found.push(...page.messages);
    if (!page.next) break;
    after = page.next;
  }
  return found;
}
