import { answeringAgent, sourcesFor } from '../agents/agents.ts';
import { Refusal } from '../schema/errors.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { SearchResult } from '../knowledge/search/found.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Model } from '../model/model.ts';
import type { Store, StoredAgent, StoredMessage } from '../store/store.ts';
import { NO_META, type Ending, type MessageMeta, type Question, type Respond } from './runs.ts';
import { createMarkers } from './citations/stream-filter.ts';
import { noAnswer } from './extract/no-answer.ts';
import type { Fallback } from './fallback.ts';
import { prompt, TURNS } from './prompt.ts';
import { writeQuotes } from './extract/write.ts';
import { outcomeOf, TELLING, wouldQuote } from './outcome.ts';
import type { Run } from './run.ts';

interface Rooms {
  store: Store;
  knowledge: Knowledge;
  /** Without one, the answer quotes the sources. */
  model: Model | undefined;
  fallback: Fallback;
  catalogue: Catalogue;
}

interface Generated {
  finish: 'stop' | 'length' | 'error';
  totalTokens: number;
  refusal?: Refusal;
}

interface Material extends SearchResult {
  question: Question;
  agent: StoredAgent | undefined;
  turns: StoredMessage[];
}

/** This process's own way to answer: route, retrieve, generate or quote, cite. */
export function createRespond(rooms: Rooms): Respond {
  const { model, fallback } = rooms;
  return (question, run) =>
    gather(rooms, question).then((material) => {
      if (!material.agent) return unanswered(material, run);
      // What the owner wrote to answer this very question is the answer, with a model too.
      const isWritten = material.found[0]?.match.exact;
      if (!model || isWritten) return quoted(material, run);
      const reason = fallback.paused();
      return reason ? quotedInstead(material, reason, run) : generated(material, { ...rooms, model }, run);
    });
}

async function gather({ store, knowledge }: Rooms, question: Question): Promise<Material> {
  const { uuid } = question.chatbot;
  const [agents, turns] = await Promise.all([store.agents(uuid), earlierTurns(store, question)]);
  const agent = answeringAgent(agents);
  const earlier = turns.map((turn) => turn.query);
  const sources = agent ? sourcesFor(agent) : NO_SOURCES;
  return { question, agent, turns, ...(await knowledge.search(uuid, question.query, { earlier, sources })) };
}

const NO_SOURCES: ReadonlySet<string> = new Set();

const earlierTurns = async (store: Store, { session, newSession }: Question): Promise<StoredMessage[]> =>
  newSession ? [] : store.lastMessages(session.uuid, TURNS);

/** Every agent that could answer is deleted or not enabled. */
function unanswered({ question, query }: Material, run: Run): Ending {
  run.append(noAnswer(query, [], question.accepted));
  return { finish_reason: 'stop', citations: {}, meta: { ...metaOf(undefined), outcome: 'unknown' } };
}

async function quoted({ question, agent, query, found }: Material, run: Run): Promise<Ending> {
  const { accepted } = question;
  const cite = question.chatbot.meta.show_citations;
  const { citations, outcome } = await writeQuotes({ query, found, cite, accepted }, run);
  return {
    finish_reason: run.stopped ? 'stopped' : 'stop',
    citations,
    meta: { ...metaOf(agent), outcome },
  };
}

/** No async function: while the model writes, an open stream keeps its markers and not all that was gathered. */
function generated(
  material: Material,
  { model, fallback, catalogue }: Rooms & { model: Model },
  run: Run,
): Promise<Ending> {
  const { question, agent, turns, query, found } = material;
  const { accepted, unshown } = question;
  const cite = question.chatbot.meta.show_citations;
  const markers = createMarkers(cite ? found : [], query.text, run);
  const asked = fallback.asked();
  // What a quoted answer would need, until there is text that a reader may have.
  let quotable = fallback.quotes ? material : undefined;
  const generation = model.generate(prompt({ agent, turns, found, query, cite, accepted }), (piece) => {
    run.append(markers.pass(piece));
    if (quotable && run.appended > 0 && !unshown) quotable = undefined;
    if (run.full) generation.stop();
  });
  run.onStop = () => generation.stop();
  if (run.stopped) generation.stop();
  // Made now, so that an open stream need not keep the passages; the model's server is at work meanwhile.
  const needsNoCitation = query.asksNothing() || wouldQuote(query, found);
  const meta = metaOf(agent);
  const credits = catalogue.credits(agent?.meta.model ?? '');

  return generation.done.catch(refused).then(({ finish, totalTokens, refusal }: Generated) => {
    if (refusal && !run.stopped) {
      const why = fallback.failed(refusal, asked);
      if (quotable) {
        run.restart();
        return quotedInstead(quotable, why, run);
      }
    }
    if (!refusal && !run.stopped) fallback.answered();
    run.append(markers.rest());
    const reason = run.full ? 'length' : finish;
    const citations = markers.citations();
    const cites = Object.keys(citations).length > 0;
    const outcome = outcomeOf({ text: run.read(0, TELLING), failed: refusal !== undefined, cites, needsNoCitation });
    return {
      finish_reason: run.stopped ? 'stopped' : reason,
      citations,
      meta: {
        ...meta,
        actual_token_distribution: { total_tokens: totalTokens },
        credits: refusal ? 0 : credits,
        outcome,
      },
      ...(refusal ? { refusal } : {}),
    };
  });
}

async function quotedInstead(material: Material, reason: string, run: Run): Promise<Ending> {
  const ending = await quoted(material, run);
  return { ...ending, meta: { ...ending.meta, fallback: reason } };
}

/** What was written before the model failed stays, with its citations. */
function refused(error: unknown): Generated {
  if (error instanceof Refusal) return { finish: 'error', totalTokens: 0, refusal: error };
  throw error;
}

const metaOf = (agent: StoredAgent | undefined): MessageMeta => ({
  ...NO_META,
  active_agent: { uuid: agent?.uuid ?? '', name: agent?.name ?? '' },
});
