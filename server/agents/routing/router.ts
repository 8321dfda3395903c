import { LRUCache } from 'lru-cache';
import type { Clock } from '../../schema/ids.ts';
import { objectIn } from '../../schema/json.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Store, StoredAgent, StoredMessage, StoredSession } from '../../store/store.ts';
import type { Model } from '../../model/model.ts';
import { SideQuestions, type Stoppable } from '../../model/side-question.ts';
import { sourcesFor } from '../agents.ts';
import { examplesOfReads } from '../tool-functions.ts';
import { valuesOf, type Values } from '../variables.ts';
import { askModel, CHOICE_TIMEOUT_MS } from './ask-model.ts';
import { choose, closeTo, isClose, type Choice, type Situation } from './choose.ts';
import { rememberingLast, trainClassifier, type Classifier } from './classifier.ts';
import { loadDetectors } from './detectors.ts';
import type { SessionFacts } from './rules.ts';

interface RoutedQuestion {
  query: string;
  session: StoredSession;
  /** The session is not stored yet: nothing was asked in it. */
  newSession: boolean;
  /** As in `Situation`. */
  isReply?: boolean;
  /** Absent where calls of models are not limited by credits. False where there are not as many left. */
  spending?: { reserve(credits: number): Promise<boolean>; isSpent(): Promise<boolean> };
}

/** Decides where scores are close. */
interface Referee {
  model: Model;
  /** False while it must not be called: after failures in a row. */
  mayAsk(model: string): boolean;
  clock: Clock;
  /** What an answer costs: an owner without as many left gets no call of a model. */
  credits(model: string): number;
}

/** With the tokens of the call of a model, where one was asked. */
export type Routed = Choice<StoredAgent> & { tokens?: number };

type Chooser = (
  asked: Pick<Situation<StoredAgent>, 'query' | 'turns' | 'facts' | 'smallTalk' | 'answered' | 'isReply'>,
  changed?: readonly StoredAgent[],
) => Choice<StoredAgent>;

/** Chatbots whose classifiers stay in memory: up to some MB each, for agents with hundreds of examples. */
const MAX_CLASSIFIERS = 100;

/** Chooses the agent of each question. */
export class AgentRouter {
  readonly #store: Pick<Store, 'messages'>;
  readonly #knowledge: Pick<Knowledge, 'rarity'>;
  readonly #referee: Referee | undefined;
  #classifiers = new LRUCache<string, { version: string; classifier: Promise<Classifier> }>({
    max: MAX_CLASSIFIERS,
  });
  readonly #questions: SideQuestions | undefined;

  /** Without a referee the classifier's choice stands, however close it is. */
  constructor(store: Pick<Store, 'messages'>, knowledge: Pick<Knowledge, 'rarity'>, referee?: Referee) {
    this.#store = store;
    this.#knowledge = knowledge;
    this.#referee = referee;
    this.#questions = referee && new SideQuestions(referee.model, referee.clock, CHOICE_TIMEOUT_MS);
  }

  /** The same without a referee; a chatbot's classifier is held once for both. */
  withoutReferee(): AgentRouter {
    const router = new AgentRouter(this.#store, this.#knowledge);
    router.#classifiers = this.#classifiers;
    return router;
  }

  /**
   * `turns`: the last finished messages of the session, oldest first. `smallTalk` as in `Situation`. While a model is asked,
   * `answer.onStop` ends that.
   */
  async route(
    question: RoutedQuestion,
    agents: readonly StoredAgent[],
    turns: readonly StoredMessage[],
    smallTalk: ((sentence: string) => boolean) | undefined,
    answer: Stoppable,
  ): Promise<Routed> {
    const enabled = agents.filter(({ enabled, type }) => enabled === 1 && type !== 'background');
    const hasRules = enabled.some(({ routing }) => routing && routing.rules.length > 0);
    const isLong = hasRules && !question.newSession;
    const messages = isLong ? await this.#store.messages(question.session.uuid) : turns;
    // The question itself may be stored already, without an answer.
    const { isReply = false } = question;
    const finished = messages.filter(({ finish_reason }) => finish_reason !== '');
    const answered = finished.map(agentOf).filter(Boolean).toReversed();
    const facts = factsOf(hasRules ? valuesOf(agents, question.session) : {}, finished.length, answered);
    const earlier = turns.map(({ query }) => query).toReversed();
    const chooser = await this.chooserOf(enabled, earlier.length > 0);
    const choice = chooser({ query: question.query, turns: earlier, facts, smallTalk, answered, isReply });
    return choice.record && isClose(choice.record) ? this.#refer(choice, enabled, question, earlier, answer) : choice;
  }

  /**
   * What chooses among these enabled agents, without a model; `changed`, where it is given, are they with other settings, in the
   * same order. `hasTurns`: whether some of the messages have others before them.
   */
  async chooserOf(enabled: readonly StoredAgent[], hasTurns: boolean): Promise<Chooser> {
    const isScoring = enabled.filter(isScored).length > 1;
    const needsRarity = isScoring && (hasTurns || enabled.some(({ type }) => type === 'pre-canned'));
    const detectors = enabled.length > 1 ? await loadDetectors() : undefined;
    const known = {
      narrow: new Set(enabled.filter(readsSome).map(({ uuid }) => uuid)),
      ...(needsRarity ? { rarity: await this.#knowledge.rarity(enabled[0]!.chatbot) } : {}),
      ...(isScoring ? { classifier: rememberingLast(await this.#classifier(enabled)) } : {}),
    };
    return (asked, changed = enabled) =>
      // A value alone is neither a wish nor gibberish.
      choose({ ...asked, agents: changed, ...(detectors && !asked.isReply ? { detectors } : {}), ...known });
  }

  /** The model's choice among those whose scores are close; the classifier's where it makes none. */
  async #refer(
    choice: Choice<StoredAgent>,
    agents: readonly StoredAgent[],
    { query, spending }: RoutedQuestion,
    turns: string[],
    answer: Stoppable,
  ): Promise<Routed> {
    const [referee, questions] = [this.#referee, this.#questions];
    const { agent, record } = choice;
    const close = closeTo(record!).map((uuid) => agents.find((one) => one.uuid === uuid)!);
    const able = close.filter(isScored);
    const isBetweenThem = able.length > 1 && able[0] === agent;
    if (!isBetweenThem || !referee || !questions) return choice;
    const { meta, chatbot } = able[0]!;
    if (!referee.mayAsk(meta.model) || questions.isPaused({ model: meta.model, owner: chatbot })) return choice;
    // Where a fixed text answers, the choice has cost nothing: such calls have a limit of their own.
    if (spending && ((await spending.isSpent()) || !(await spending.reserve(referee.credits(meta.model)))))
      return choice;
    const asked = { query, turns, agents: able };
    const { agent: named, tokens } = await askModel(questions, asked, answer);
    return named
      ? { agent: named, record: { ...record!, by: 'model', agent: named.uuid }, tokens }
      : { ...choice, tokens };
  }

  /** Trained anew where an agent has changed. */
  #classifier(agents: readonly StoredAgent[]): Promise<Classifier> {
    const { chatbot } = agents[0]!;
    const version = agents.map(({ uuid, modified_at }) => `${uuid} ${modified_at}`).join('\n');
    const known = this.#classifiers.get(chatbot);
    if (known?.version === version) return known.classifier;
    const classifier = trainClassifier(agents.map((agent) => ({ ...agent, examples: sentencesFor(agent) })));
    this.#classifiers.set(chatbot, { version, classifier });
    return classifier;
  }
}

/** Those of its functions that a message may call are as much its own as its examples. */
const sentencesFor = ({ type, routing, tool_functions }: StoredAgent): string[] => [
  ...(routing?.examples ?? []),
  ...(type === 'user-facing' ? examplesOfReads(tool_functions) : []),
];

/** The others answer what their detector finds. */
const isScored = ({ type }: StoredAgent): boolean => type === 'user-facing' || type === 'pre-canned';

const readsSome = (agent: StoredAgent): boolean => agent.type === 'user-facing' && sourcesFor(agent) !== undefined;

/** `answered`: the agents of the messages that an agent answered, the last first. */
export function factsOf(variables: Values, messages: number, answered: readonly string[]): SessionFacts {
  const [lastAgent] = answered;
  const before = answered.findIndex((agent) => agent !== lastAgent);
  return { queries: messages + 1, lastAgent, consecutive: before < 0 ? answered.length : before, variables };
}

/** The uuid of the agent that answered; '' where none did. */
function agentOf({ meta_json }: StoredMessage): string {
  const { uuid } = Object(objectIn(meta_json)['active_agent']) as { uuid?: unknown };
  return typeof uuid === 'string' ? uuid : '';
}
