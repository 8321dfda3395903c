import { answeringAgent, sourcesFor } from '../agents/agents.ts';
import { Refusal } from '../errors.ts';
import type { Found, Knowledge } from '../knowledge/knowledge.ts';
import { asksAtLength } from '../knowledge/long-text.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Model } from '../model/model.ts';
import type { Store, StoredAgent, StoredMessage } from '../store/store.ts';
import { NO_META, type Ending, type MessageMeta, type Question, type Respond } from './answering.ts';
import { createMarkers, createQuotes, withoutMarkers } from './cite.ts';
import { prompt, TURNS } from './prompt.ts';
import { dontKnow, quote } from './quote.ts';
import type { Run } from './runs.ts';

/** Sentences at most where a long text is asked for, a paragraph each. */
const PARAGRAPHS = 5;
const NO_MORE = 'That is what I have read about it: I quote, and write no texts of my own.';

interface Rooms {
  store: Store;
  knowledge: Knowledge;
  /** Without one, the answer quotes the sources. */
  model: Model | undefined;
  catalogue: Catalogue;
}

interface Generated {
  finish: 'stop' | 'length' | 'error';
  totalTokens: number;
  refusal?: Refusal;
}

interface Material {
  question: Question;
  agent: StoredAgent | undefined;
  turns: StoredMessage[];
  found: Found[];
}

/** This process's own way to answer: route, retrieve, generate or quote, cite. */
export function createRespond(rooms: Rooms): Respond {
  const { model, catalogue } = rooms;
  return (question, run) =>
    gather(rooms, question).then((material) => {
      if (!material.agent) return unanswered(run);
      return model ? generated(material, model, catalogue, run) : quoted(material, run);
    });
}

async function gather({ store, knowledge }: Rooms, question: Question): Promise<Material> {
  const { uuid } = question.chatbot;
  const [agents, turns] = await Promise.all([store.agents(uuid), earlierTurns(store, question)]);
  const agent = answeringAgent(agents);
  const earlier = turns.map((turn) => turn.query);
  const found = agent ? await knowledge.search(uuid, question.query, { earlier, sources: sourcesFor(agent) }) : [];
  return { question, agent, turns, found };
}

const earlierTurns = async (store: Store, { session, newSession }: Question): Promise<StoredMessage[]> =>
  newSession ? [] : store.lastMessages(session.uuid, TURNS);

/** Every agent that could answer is deleted or not enabled. */
function unanswered(run: Run): Ending {
  run.append(dontKnow([]));
  return { finish_reason: 'stop', citations: {}, meta: metaOf(undefined) };
}

async function quoted({ question, agent, found }: Material, run: Run): Promise<Ending> {
  const cite = question.chatbot.meta.show_citations;
  const quotes = createQuotes(found);
  const long = asksAtLength(question.query);
  const between = long ? '\n\n' : ' ';
  for (const sentence of quote(question.query, found, long ? { most: PARAGRAPHS } : {})) {
    if (run.stopped) break;
    // Each sentence reaches its readers before the next is looked for.
    if (run.length > 0) await new Promise(setImmediate);
    const marker = quotes.mark(sentence.found, sentence.text);
    run.append(`${run.length > 0 ? between : ''}${withoutMarkers(sentence.text)}${cite ? ` ${marker}` : ''}`);
  }
  if (run.length === 0) run.append(dontKnow(found));
  else if (long) run.append(`\n\n${NO_MORE}`);
  return {
    finish_reason: run.stopped ? 'stopped' : 'stop',
    citations: cite ? quotes.citations() : {},
    meta: metaOf(agent),
  };
}

/** No async function: while the model writes, an open stream keeps its markers and not all that was gathered. */
function generated(
  { question, agent, turns, found }: Material,
  model: Model,
  catalogue: Catalogue,
  run: Run,
): Promise<Ending> {
  const cite = question.chatbot.meta.show_citations;
  const markers = createMarkers(cite ? found : [], question.query, run);
  const generation = model.generate(prompt({ agent, turns, found, query: question.query, cite }), (piece) => {
    run.append(markers.pass(piece));
    if (run.full) generation.stop();
  });
  run.onStop = () => generation.stop();
  if (run.stopped) generation.stop();
  const meta = metaOf(agent);
  const credits = catalogue.credits(agent?.meta.model ?? '');

  return generation.done.catch(refused).then(({ finish, totalTokens, refusal }: Generated) => {
    run.append(markers.rest());
    const reason = run.full ? 'length' : finish;
    return {
      finish_reason: run.stopped ? 'stopped' : reason,
      citations: markers.citations(),
      meta: { ...meta, actual_token_distribution: { total_tokens: totalTokens }, credits: refusal ? 0 : credits },
      ...(refusal ? { refusal } : {}),
    };
  });
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
