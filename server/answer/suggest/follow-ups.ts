import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { AnswerContext } from '../context.ts';
import type { AnswerResult, Question } from '../runs.ts';
import { answerSurely, sectionKey, type ChooseOptions, type Near } from './choose.ts';
import { shownHeading } from './headings.ts';

interface FollowUpsOptions extends ChooseOptions {
  knowledge: Pick<Knowledge, 'search' | 'headingsNear'>;
  onError(error: unknown, chatbot: string): void;
}

const MAX_FOLLOW_UPS = 3;
/** Headings near a quote that are looked at, and those of one answer that are checked. */
const [MAX_NEAR, MAX_CHECKED] = [12, 8];
/**
 * A check costs about half as much CPU as an answer without a model. Each answer of a chatbot allows for a part of one, up to as
 * many as begin with, which are those of a site of some ten pages.
 */
const [FIRST_CHECKS, CHECKS_PER_ANSWER] = [80, 0.25];
/** Headings of a chatbot whose checks are remembered. */
const MAX_KNOWN = 5000;

interface Checks {
  /** By heading or question, the section that answers it surely; '' where none does. */
  known: Map<string, string>;
  left: number;
}

/** Questions that go on from an answer and that the sources answer surely: what a model proposed, and headings near what it quotes. */
export class FollowUps {
  readonly #options: FollowUpsOptions;
  /** By chatbot. */
  readonly #checks = new Map<string, Checks>();

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  /** To be called when sources of the chatbot have changed. */
  forget(chatbot: string): void {
    this.#checks.get(chatbot)?.known.clear();
  }

  /** To be called when the chatbot is deleted. */
  drop(chatbot: string): void {
    this.#checks.delete(chatbot);
  }

  /** Whether the answer to the question is to have any. */
  isWanted({ chatbot, unstreamed, ephemeral }: Question): boolean {
    return !unstreamed && !ephemeral && chatbot.widget?.suggestions?.length !== 0;
  }

  /**
   * Adds at most 3 to a streamed answer that quotes its sources and has ended. Not async: while a model writes, nothing of the
   * context is kept but what is needed here.
   */
  addTo(
    answer: AnswerResult | Promise<AnswerResult>,
    { question, agents, turns }: Pick<AnswerContext, 'question' | 'agents' | 'turns'>,
  ): AnswerResult | Promise<AnswerResult> {
    if (!this.isWanted(question)) return answer;
    const { chatbot } = question;
    const asked = new Set([question, ...turns].map(({ query }) => keyOf(query)));
    return Promise.resolve(answer).then(async (result) => {
      const { finish_reason, meta, pending, parts = [] } = result;
      // What waits for the visitor, or offers replies of its own, asks for one of them.
      if (finish_reason !== 'stop' || meta.outcome !== 'answered' || pending || parts.length > 0) return result;
      const follow_ups = await this.#after(result, chatbot, agents, asked).catch((error: unknown) => {
        this.#options.onError(error, chatbot.uuid);
        return [];
      });
      return follow_ups.length > 0 ? { ...result, meta: { ...meta, follow_ups } } : result;
    });
  }

  async #after(
    { citations, proposed = [] }: AnswerResult,
    chatbot: Question['chatbot'],
    agents: AnswerContext['agents'],
    asked: Set<string>,
  ): Promise<string[]> {
    const { knowledge } = this.#options;
    const checks = this.#checks.get(chatbot.uuid) ?? { known: new Map<string, string>(), left: FIRST_CHECKS };
    this.#checks.set(chatbot.uuid, checks);
    checks.left = Math.min(FIRST_CHECKS, checks.left + CHECKS_PER_ANSWER);
    const chosen = new Map<string, string>();
    // “When are you open?” leaves no room for “Opening hours”.
    const sections = new Set<string>();
    let checked = 0;
    const consider = async (written: string, near?: Near): Promise<void> => {
      const shown = shownHeading(written);
      const key = keyOf(shown?.text ?? '');
      // A model proposes questions; what it writes besides is none.
      if (!shown || (!near && !shown.asks) || asked.has(key) || chosen.has(key)) return;
      const place = near ? sectionKey(near.source.uuid, near.heading) : key;
      if (!checks.known.has(place) && checks.left >= 1 && checked < MAX_CHECKED) {
        checks.left--;
        checked++;
        // Readers get the text before, and other answers go on meanwhile.
        await new Promise(setImmediate);
        const sure = await answerSurely({ text: shown.text, near }, this.#options, chatbot, agents);
        if (checks.known.size >= MAX_KNOWN) checks.known.clear();
        checks.known.set(place, sure?.section ?? '');
      }
      const section = checks.known.get(place);
      if (!section || sections.has(section)) return;
      sections.add(section);
      chosen.set(key, shown.text);
    };
    for (const question of proposed.slice(0, MAX_FOLLOW_UPS)) await consider(question);
    for (const { data_source_uuid: uuid, title, text } of Object.values(citations)) {
      for (const heading of await knowledge.headingsNear(chatbot.uuid, uuid, text, MAX_NEAR)) {
        if (chosen.size === MAX_FOLLOW_UPS) break;
        await consider(heading, { heading, source: { uuid, title } });
      }
    }
    return [...chosen.values()];
  }
}

const keyOf = (question: string): string =>
  question
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
