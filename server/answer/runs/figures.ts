import type { Logger } from 'pino';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { Refusal } from '../../schema/errors.ts';
import { objectIn } from '../../schema/json.ts';
import { outcomeIn } from '../../store/outcomes.ts';
import {
  addFiguresTo,
  FIGURES,
  FIGURES_BY,
  NO_FIGURES,
  type Cited,
  type FigureName,
  type Figures,
} from '../../store/shared/figures.ts';
import type { Store, StoredChatbot, StoredMessage } from '../../store/store.ts';
import { citationsIn, metaIn, replacedBy, type Question } from '../message-records.ts';

/** Milliseconds that figures stay in memory: a process that is killed loses as much of them. */
const FLUSH_MS = 2000;
/** Sums in memory from which on pages lose their names, while nothing can be stored. */
const MAX_SUMS = 5000;

type Change = Partial<Record<FigureName, number>>;
type OfChatbot = Pick<StoredChatbot, 'uuid' | 'owner'>;

interface FigureOptions {
  store: Pick<Store, 'addFigures'>;
  log: Logger;
}

/**
 * Counts questions and ratings in memory, and stores the sums a little later: no answer waits for it. A question counts once, whatever it is
 * answered by: what an answer takes the place of is taken away again.
 */
export class FigureCounts {
  readonly #options: FigureOptions;
  /** By chatbot. */
  #figures = new Map<string, Map<string, Figures>>();
  #cited = new Map<string, Map<string, Cited>>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: FigureOptions) {
    this.#options = options;
  }

  /** A question that is stored nowhere counts nowhere. */
  answered(question: Question, message: StoredMessage, isHandedOver: boolean): void {
    const { chatbot } = question;
    if (question.ephemeral || question.session.dry_run || !isFinished(message)) return;
    const before = replacedBy(question);
    if (before && isFinished(before)) this.#add(chatbot, before, questionOf(before, -1));
    this.#add(chatbot, message, { ...questionOf(message, 1), handed_over: isHandedOver ? 1 : 0 });
    const sources = new Set(Object.values(citationsIn(message)).map(({ data_source_uuid }) => data_source_uuid));
    for (const source of sources) this.#addCited(chatbot, { source, answers: 1, last_at: message.created_at });
  }

  /** `before`: the message as it was before its rating. */
  rated(chatbot: OfChatbot, message: StoredMessage, before: StoredMessage): void {
    const change = { rated_up: 0, rated_down: 0 };
    for (const [one, by] of [
      [message, 1],
      [before, -1],
    ] as const) {
      const { rating } = objectIn(one.feedback_json);
      if (rating === 1) change.rated_up += by;
      else if (rating === -1) change.rated_down += by;
    }
    this.#add(chatbot, message, change);
  }

  /** A question over the rate limit; `day` in UTC. One that is sent again counts again. */
  refused({ uuid: chatbot, owner }: OfChatbot, day: string): void {
    if (owner === '') return;
    this.#sum({ ...NO_FIGURES, refused: 1, chatbot, day, by: '', name: '' });
    this.#plan();
  }

  /** Stores what was counted so far. Never rejects: what cannot be stored yet is stored later. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing = this.#writing.then(() => this.#write()));
  }

  #add({ uuid: chatbot, owner }: OfChatbot, message: StoredMessage, change: Change): void {
    // Of an upstream server's chatbots that server counts.
    if (owner === '' || FIGURES.every((name) => !change[name])) return;
    const { active_agent, page = '' } = metaIn(message);
    const names = { agent: active_agent.uuid, page, language: detectLanguage(message.query) ?? '' };
    for (const by of FIGURES_BY) {
      const name = by === '' || (by === 'page' && this.#size >= MAX_SUMS) ? '' : names[by];
      this.#sum({ ...NO_FIGURES, ...change, chatbot, day: message.created_at.slice(0, 10), by, name });
    }
    this.#plan();
  }

  #sum(one: Figures): void {
    const sums = this.#figures.get(one.chatbot) ?? new Map<string, Figures>();
    this.#figures.set(one.chatbot, sums);
    const before = sums.size;
    addFiguresTo(sums, one);
    this.#size += sums.size - before;
  }

  #addCited({ uuid: chatbot, owner }: OfChatbot, { source, answers, last_at }: Cited): void {
    if (owner === '') return;
    const cited = this.#cited.get(chatbot) ?? new Map<string, Cited>();
    this.#cited.set(chatbot, cited);
    const sum = cited.get(source);
    const last = sum && sum.last_at > last_at ? sum.last_at : last_at;
    cited.set(source, { source, answers: (sum?.answers ?? 0) + answers, last_at: last });
    this.#plan();
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  async #write(): Promise<void> {
    const figures = [...this.#figures.values()].flatMap((sums) => [...sums.values()]);
    const cited = Object.fromEntries(Array.from(this.#cited, ([chatbot, sums]) => [chatbot, [...sums.values()]]));
    if (figures.length + this.#cited.size === 0) return;
    this.#figures.clear();
    this.#cited.clear();
    this.#size = 0;
    try {
      await this.#options.store.addFigures(figures, cited);
    } catch (error) {
      if (error instanceof Refusal && error.mayBeStored)
        return this.#options.log.warn({ err: error }, 'figures of some answers may be missing');
      this.#options.log.debug({ err: error }, 'figures are not stored yet');
      for (const one of figures) this.#sum(one);
      for (const [uuid, all] of Object.entries(cited))
        for (const one of all) this.#addCited({ uuid, owner: uuid }, one);
      this.#plan();
    }
  }
}

/** Whether its answer has ended in a process that lived: only then was it counted. */
const isFinished = ({ meta_json }: StoredMessage): boolean => 'active_agent' in objectIn(meta_json);

const questionOf = ({ meta_json }: StoredMessage, by: 1 | -1): Change => {
  const outcome = outcomeIn(meta_json);
  return { asked: by, ...(outcome && { [outcome]: by }) };
};
