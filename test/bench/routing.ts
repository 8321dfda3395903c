import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { choose, type Detectors, type RoutableAgent } from '../../server/agents/routing/choose.ts';
import { trainClassifier, type AgentTexts } from '../../server/agents/routing/classifier.ts';
import { loadDetectors } from '../../server/agents/routing/detectors.ts';
import { hashOf, isHeldOut } from '../../server/agents/routing/train/held-out.ts';
import type { AgentType } from '../../server/schema/records.ts';
import { sharedData } from '../shared.ts';

/** Routing without a model, measured through the chooser that the server runs. */

interface Data {
  agents: {
    id: string;
    type: AgentType;
    name: string;
    description: string;
    prompt: string;
    bias?: number;
    examples?: string[];
  }[];
  queries: { id: string; text: string; agent: string }[];
}
interface Labelled {
  queries: { id: string; text: string; label: string }[];
}

/** Shares from 0 to 1, of the queries that another agent, or none of this type, is right for. */
interface Row {
  dataset: string;
  accuracy: number;
  false_escalation: number;
  false_spam: number;
  /** Where a query belongs to an agent of that type: the share that reaches it, and F1. */
  escalation_recall?: number;
  spam_recall?: number;
  spam_f1?: number;
  queries: number;
  train_ms: number;
  query_ms: number;
}

const DEFAULT = ['banking77-train', 'support-intents', 'sms-spam-a'];

/**
 * `[FILE.json.gz …] [--ten]`: the row of one file, or a row a file. A file of agents is taken as it is. In one of labels each
 * label is an agent; a fifth of its rows are asked and the others are examples, with `--ten` only ten of each label are
 * examples and the others are asked.
 */
export async function bench(args: string[]): Promise<Row | Row[]> {
  const given = args.filter((arg) => !arg.startsWith('--'));
  const ten = args.includes('--ten');
  const files = given.length ? given : DEFAULT.flatMap((name) => sharedData(`${name}.json.gz`) ?? []);
  const rows: Row[] = [];
  for (const file of files) {
    console.error(`routing: ${file}`);
    const data = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Data | Labelled;
    const name = basename(file).replace(/\..*$/, '');
    if ('agents' in data) rows.push(await measure(name, data));
    else if (data.queries.some(({ label }) => label === 'ham')) rows.push(await measure(name, fromSpam(data)));
    else rows.push(await measure(name, fromLabels(data, ten)));
  }
  return rows.length === 1 ? rows[0]! : rows;
}

const agent = (id: string, type: AgentType, more: Partial<Data['agents'][number]> = {}): Data['agents'][number] => ({
  id,
  type,
  name: id.replaceAll('_', ' '),
  description: '',
  prompt: '',
  ...more,
});

/** Every label file is asked with both detected agents there, the escalation agent at -10 as deployed ones are. */
const DETECTED = [agent('contact_human_agent', 'human-escalation', { bias: -10 }), agent('spam', 'spam-defense')];
const isDetected = (label: string): boolean => DETECTED.some(({ id }) => id === label);

function fromLabels({ queries }: Labelled, ten: boolean): Data {
  const labels = [...new Set(queries.map(({ label }) => label))];
  const rowsOf = (label: string) =>
    queries.filter((row) => row.label === label).toSorted((one, other) => hashOf(one.id) - hashOf(other.id));
  const examplesOf = (label: string) =>
    ten ? rowsOf(label).slice(0, 10) : rowsOf(label).filter(({ id }) => !isHeldOut(id));
  const ordinary = labels.filter((label) => !isDetected(label));
  const examples = new Map(ordinary.map((label) => [label, examplesOf(label)]));
  const taught = new Set([...examples.values()].flat().map(({ id }) => id));
  return {
    agents: [
      ...ordinary.map((label) =>
        agent(label, 'user-facing', { examples: examples.get(label)!.map(({ text }) => text) }),
      ),
      ...DETECTED,
    ],
    queries: queries.filter(({ id }) => !taught.has(id)).map(({ id, text, label }) => ({ id, text, agent: label })),
  };
}

/** Of a file of spam and ham, the rows that the detector was not trained on. */
function fromSpam({ queries }: Labelled): Data {
  const held = queries.filter(({ id }) => isHeldOut(id));
  return {
    agents: [agent('ham', 'user-facing'), ...DETECTED],
    queries: held.map(({ id, text, label }) => ({ id, text, agent: label === 'spam' ? 'spam' : 'ham' })),
  };
}

async function measure(dataset: string, data: Data): Promise<Row> {
  const agents: (RoutableAgent & AgentTexts)[] = data.agents.map(({ id, bias = 0, ...rest }) => ({
    ...rest,
    uuid: id,
    meta: { bias },
  }));
  const detectors = await loadDetectors();
  const start = performance.now();
  const classifier = await trainClassifier(agents);
  const trained = performance.now();
  const outcomes = data.queries.map(({ text, agent: right }) => ({ right, got: answers(text) }));
  const end = performance.now();

  function answers(query: string): string | undefined {
    const facts = { queries: 1, consecutive: 0, variables: {} };
    return choose({ query, agents, facts, classifier, detectors: detectors satisfies Detectors }).agent?.uuid;
  }

  const typeOf = new Map(data.agents.map(({ id, type }) => [id, type]));
  const share = (of: AgentType) => {
    const wrong = outcomes.filter(({ right }) => typeOf.get(right) !== of);
    const due = outcomes.filter(({ right }) => typeOf.get(right) === of);
    const alarms = wrong.filter(({ got }) => typeOf.get(got ?? '') === of).length;
    const found = due.filter(({ got }) => typeOf.get(got ?? '') === of).length;
    return {
      false: alarms / (wrong.length || 1),
      due: due.length,
      recall: found / due.length,
      f1: (2 * found) / (found + alarms + due.length),
    };
  };
  const [escalation, spam] = [share('human-escalation'), share('spam-defense')];
  return {
    dataset,
    accuracy: outcomes.filter(({ right, got }) => right === got).length / outcomes.length,
    false_escalation: escalation.false,
    false_spam: spam.false,
    ...(escalation.due && { escalation_recall: escalation.recall }),
    ...(spam.due && { spam_recall: spam.recall, spam_f1: spam.f1 }),
    queries: outcomes.length,
    train_ms: Math.round(trained - start),
    query_ms: (end - trained) / outcomes.length,
  };
}
