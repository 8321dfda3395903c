import type { Logger } from 'pino';
import { declaredBy, isStatic, withValues } from '../../agents/variables.ts';
import { FairQueue } from '../../async/fair-queue.ts';
import { yieldTurn } from '../../async/time-slice.ts';
import type { Model } from '../../model/model.ts';
import { OutboundFailure } from '../../outbound/failures.ts';
import { Refusal } from '../../schema/errors.ts';
import type { StoredAgent, StoredChatbot, StoredMessage, StoredSession } from '../../store/store.ts';
import { BadReply, inquire, type Inquiry } from './ask-model.ts';
import { matchTags } from './match-tags.ts';
import { BackgroundWork, type Finding, type Task } from './work.ts';

interface BackgroundOptions {
  /** Without one, tags are matched by words, and variables by patterns alone. */
  model: Model | undefined;
  /** Why the model must not be asked at the moment; undefined where it may. */
  paused(model: string): string | undefined;
  log: Logger;
  /** Adds the tokens of a call to the usage of the chatbot's owner; `model` as the agent names it. */
  countTokens(chatbot: Asked['chatbot'], model: string, tokens: number): void;
  /** Milliseconds for all tasks of a message, waiting included; 60,000 by default. */
  timeout?: number;
}

interface Asked {
  query: string;
  chatbot: Pick<StoredChatbot, 'uuid' | 'owner'>;
  /** Absent where credits have no limit. */
  spending?: { isSpent(): Promise<boolean> };
}

interface Situation {
  /** The chatbot's, of which the enabled ones count. */
  agents: readonly StoredAgent[];
  /** The session, with the values that the message gives. */
  question: { session: StoredSession };
  /** The agent that answers. */
  agent: StoredAgent | undefined;
  turns: readonly StoredMessage[];
  /** The message is nothing but small talk. */
  talk?: object | undefined;
}

/** Calls to the model at the same time, in all; chatbots take turns beyond. */
const MAX_CALLS = 64;

/** Begins the background tasks of a message; undefined where there are none. They run after what the caller does in this turn. */
export type BeginBackground = (asked: Asked, situation: Situation) => BackgroundWork | undefined;

export function createBackground(options: BackgroundOptions): BeginBackground {
  const { model, paused, log, countTokens, timeout = 60_000 } = options;
  const turns = new FairQueue({ concurrency: MAX_CALLS });

  const reasonOf = (error: unknown): string => {
    if (error instanceof BadReply) return 'bad_reply';
    const reason = error instanceof OutboundFailure ? error.reason : error instanceof Refusal ? error.code : 'internal';
    const level = reason === 'internal' ? 'error' : 'debug';
    log[level]({ err: error, reason }, 'a background agent failed');
    return reason;
  };

  function ask(called: Model, agent: string, inquiry: Inquiry, { chatbot, spending }: Asked): Task {
    return {
      agent,
      by: 'model',
      reasonOf,
      async run(signal) {
        // The answer's own request goes first.
        await yieldTurn();
        const release = await turns.acquire(inquiry.owner);
        try {
          if (await spending?.isSpent()) return { by: 'classifier', ...byWords(inquiry.tags, inquiry.query, 'quota') };
          return await inquire(called, inquiry, signal, (tokens) => countTokens(chatbot, inquiry.model, tokens));
        } finally {
          release();
        }
      },
    };
  }

  const match = ({ uuid, meta }: StoredAgent, query: string, reason: string): Task => ({
    agent: uuid,
    by: 'classifier',
    reasonOf,
    async run() {
      await yieldTurn();
      return byWords(meta.tags ?? [], query, reason);
    },
  });

  return (asked, situation) => {
    const { query, chatbot } = asked;
    const { agents, turns: earlier, question } = situation;
    const background = agents.filter(({ enabled, type }) => enabled === 1 && type === 'background');
    const tasks: Task[] = [];
    for (const agent of background) {
      const tags = agent.meta.tags ?? [];
      const variables = agent.variables.filter((one) => !isStatic(one));
      const reason = model ? paused(agent.meta.model) : 'no_model';
      if (model && reason === undefined) {
        if (tags.length + variables.length === 0) continue;
        const { prompt, meta } = withValues(agent, agents, question.session);
        const { model: name, temperature } = meta;
        const inquiry = {
          owner: chatbot.uuid,
          model: name,
          temperature,
          prompt,
          tags,
          variables,
          query,
          turns: earlier,
        };
        tasks.push(ask(model, agent.uuid, inquiry, asked));
      } else if (tags.length > 0) tasks.push(match(agent, query, reason ?? 'no_model'));
    }
    const collecting = model && collectingInquiry(asked, situation);
    if (collecting && paused(collecting.model) === undefined) tasks.push(ask(model, '', collecting, asked));
    return tasks.length > 0 ? new BackgroundWork(tasks, timeout) : undefined;
  };
}

/** `reason`: why no model is asked, told where no tag is found. */
function byWords(
  tags: Inquiry['tags'],
  query: string,
  reason: string,
): Pick<Finding, 'labels' | 'variables' | 'reason'> {
  const labels = matchTags(tags, query);
  return { labels, variables: {}, ...(labels.length === 0 ? { reason } : {}) };
}

/** For the variables of the agents that answer, by the model of the one that answers now; the others call none. Small talk has no values. */
function collectingInquiry({ query, chatbot }: Asked, { agents, agent, turns, talk }: Situation): Inquiry | undefined {
  const declared = declaredBy(agents.filter(({ type }) => type !== 'background'));
  const variables = [...declared.values()].filter((one) => !isStatic(one));
  if (variables.length === 0 || agent?.type !== 'user-facing' || talk) return undefined;
  const { model } = agent.meta;
  return { owner: chatbot.uuid, model, temperature: 0, prompt: '', tags: [], variables, query, turns };
}
