import { sourcesFor } from '../agents/agents.ts';
import type { SearchResult } from '../knowledge/search/found.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { LanguageCode } from '../knowledge/text/languages.ts';
import type { StoredAgent } from '../store/store.ts';
import { messageMeta, type AnswerContext } from './context.ts';
import { wouldQuote } from './outcome.ts';
import { writeNoAnswer } from './extract/no-answer.ts';
import type { Run } from './run.ts';
import type { AnswerResult, Question } from './runs.ts';
import { findContact } from './small-talk/contact.ts';
import { contactOffer, contactReply, defaultMessage, offerOf, replyTo, type Speaker } from './small-talk/reply.ts';
import { isForeignWord, languagesOf, mayBeOfSite, readIn, type Talk } from './small-talk/talk.ts';
import { PRESS_BUTTON } from './tools/press-button.ts';

/** The answers that are neither quoted nor a model's. */

/** Every agent that could answer is deleted or not enabled, or all have fixed texts that do not answer this. */
export function replyWithoutAgent(context: AnswerContext, run: Run): AnswerResult {
  const { question, query, routing } = context;
  const { acceptedLanguages } = question;
  const offer = offerOf(speakerOf(context));
  run.append(writeNoAnswer(query, [], { acceptedLanguages, offer }));
  return { finish_reason: 'stop', citations: {}, meta: { ...messageMeta(undefined, routing), outcome: 'unknown' } };
}

/** What the owner wrote for the agent to say, or a sentence of ours. A pre-canned agent without a message has no answer. */
export function replyCanned(context: AnswerContext, agent: StoredAgent, message: string, run: Run): AnswerResult {
  // The words of spam are often of no language.
  const language = agent.type === 'spam-defense' ? (spokenIn(context) ?? 'en') : speakerOf(context).language;
  run.append(message || defaultMessage(agent.type, language));
  return {
    finish_reason: 'stop',
    citations: {},
    meta: {
      ...messageMeta(agent, context.routing),
      outcome: message || agent.type !== 'pre-canned' ? 'answered' : 'unknown',
    },
    parts: agent.meta.parts,
    ...(agent.type === 'human-escalation' ? { requestsPerson: true } : {}),
  };
}

/** Without a model, and without a citation. */
export async function replyToTalk(
  context: AnswerContext,
  { says }: Talk,
  knowledge: Pick<Knowledge, 'search'>,
  run: Run,
): Promise<AnswerResult> {
  const { question, agent, routing, turns, found, query } = context;
  const speaker = speakerOf(context);
  if (says === 'person') {
    const { uuid } = question.chatbot;
    const sources = agent && sourcesFor(agent);
    const pages = await findContact((words) => knowledge.search(uuid, words, { sources }), speaker.language);
    run.append(contactReply(pages, speaker));
  } else {
    const earlier = turns.map((turn) => turn.query);
    const { acceptedLanguages } = question;
    const { kind, language } = readIn(says, { earlier, acceptedLanguages, found, siteLanguages: query.siteLanguages });
    run.append(replyTo(kind, { ...speaker, language }));
  }
  return {
    finish_reason: 'stop',
    citations: {},
    meta: { ...messageMeta(agent, routing), outcome: 'answered' },
    ...(says === 'person' ? { requestsPerson: true } : {}),
  };
}

/** Where a yes or a no is written and a call waits for its button. */
export function replyToPress(context: AnswerContext, run: Run): AnswerResult {
  const { agent, routing } = context;
  run.append(PRESS_BUTTON[spokenIn(context) ?? speakerOf(context).language]);
  return { finish_reason: 'stop', citations: {}, meta: { ...messageMeta(agent, routing), outcome: 'answered' } };
}

/** For a message whose words tell no language: that of the conversation, else of the visitor's browser, else of the sources. */
function spokenIn(context: AnswerContext): LanguageCode | undefined {
  const { question, turns, found, query } = context;
  const earlier = turns.map((turn) => turn.query);
  const { acceptedLanguages } = question;
  return languagesOf({ earlier, acceptedLanguages, found, siteLanguages: query.siteLanguages })[0];
}

interface Asked extends SearchResult {
  question: Question;
  earlier: string[];
}

/**
 * Whether a message that seems to be small talk asks what the site answers: a word of it is the name of something, or the
 * wish is no part of its question.
 */
export const namesThing = ({ says, isLike }: Talk, { question, earlier, query, found }: Asked): boolean =>
  (says === 'person'
    ? !isLike(query.question)
    : mayBeOfSite(says) ||
      isForeignWord(question.query, says, {
        earlier,
        acceptedLanguages: question.acceptedLanguages,
        found,
        siteLanguages: query.siteLanguages,
      })) && wouldQuote(query, found);

/** What to add where there is no answer: that a person can be asked for, or where the site says how to reach someone. */
export function offerIn(context: AnswerContext): () => Promise<string> {
  const speaker = speakerOf(context);
  const { canPass, searchWords } = context;
  // The rest of the context would stay in memory while a model writes.
  return async () =>
    canPass
      ? offerOf(speaker)
      : contactOffer(await findContact(searchWords, speaker.language, { titledOnly: true }), speaker);
}

const speakerOf = ({ question, query, found, canPass }: AnswerContext): Speaker => ({
  language: query.language.replyLanguage(found, question.acceptedLanguages),
  name: question.chatbot.name,
  words: question.chatbot.widget?.words ?? {},
  canPass,
});
