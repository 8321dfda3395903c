import { cannedAnswer, sourcesFor } from '../../agents/agents.ts';
import type { Found, ScoreParts, SearchTrace } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { MessageTrace } from '../../schema/trace.ts';
import type { StoredMessage } from '../../store/store.ts';
import { partsIn } from '../../schema/parts.ts';
import type { Citations } from '../../types.ts';
import { searchedQuestions } from '../context.ts';
import { judge } from '../extract/certainty.ts';
import { rank } from '../extract/rank.ts';
import { minConfidence, UNSURE_CONFIDENCE } from '../extract/threshold.ts';
import { answerTo } from '../extract/write.ts';
import type { MessageMeta } from '../runs.ts';
import { followUpsIn, type Searched } from '../message-records.ts';
import type { AnswerTrace, TracedContext } from './answer-trace.ts';

const [CANDIDATES_SHOWN, SENTENCES_SHOWN, CITATIONS_SHOWN, REMOVED_SHOWN] = [20, 30, 50, 50];
const [HEADINGS_SHOWN, FUNCTIONS_SHOWN, MATCHES_SHOWN, FORMS_SHOWN] = [8, 20, 8, 3];
/** UTF-16 units. */
const PASSAGE_LENGTH = 1000;
const TRACED_ADDRESS_LENGTH = 2100;
const SENTENCE_LENGTH = 500;
const QUOTED_LENGTH = 2000;
/** Of a passage, on each side of what is quoted from it. */
const AROUND_LENGTH = 300;
const LABEL_LENGTH = 300;
const LONG_TEXT_LENGTH = 20_000;
const TRACED_QUERY_LENGTH = 4000;

/** The record of a trace whose answer is `message`. */
export function describeTrace(trace: AnswerTrace, context: TracedContext, message: StoredMessage): MessageTrace {
  const { agent, found, query } = context;
  const meta = JSON.parse(message.meta_json) as MessageMeta;
  const by = authorOf(context, meta);
  // A model's answer quotes nothing: these are the quotes that would stand in for it.
  const isQuoted = by === 'quotes' || by === 'model';
  const { model, outcome = 'unknown', fallback = '', routing, functions_called, credits } = meta;
  const { request } = trace;
  const rewritten = context.rewritten ?? meta.search;
  return {
    answer: cut(message.response, LONG_TEXT_LENGTH),
    by,
    outcome,
    finish_reason: message.finish_reason,
    citations: citationsOf(message, trace, found),
    removed: trace.removed
      .slice(0, REMOVED_SHOWN)
      .map(({ claim, ...one }) => ({ ...one, claim: cut(claim.trim(), SENTENCE_LENGTH) })),
    parts: partsIn(message.meta_json),
    follow_ups: followUpsIn(message.meta_json).follow_ups ?? [],
    fallback,
    error_message: message.error_message,
    agent: { uuid: agent?.uuid ?? '', name: agent?.name ?? '', type: agent?.type ?? '' },
    ...(routing ? { routing } : {}),
    functions_called: functions_called.slice(0, FUNCTIONS_SHOWN),
    query: describeQuery(context, trace.search),
    search: {
      passages: trace.search?.passages ?? 0,
      all_sources: agent?.type === 'user-facing' && sourcesFor(agent) === undefined,
      ...(rewritten ? { rewritten: rewrittenOf(rewritten) } : {}),
      candidates: candidatesOf(trace, found),
    },
    sentences: isQuoted ? sentencesOf(query, found) : [],
    ...(isQuoted ? { decision: decisionOf(query, found) } : {}),
    ...(request
      ? {
          model: {
            name: model ?? '',
            prompt: cut(request.messages[0]?.content ?? '', LONG_TEXT_LENGTH),
            earlier_messages: request.messages.length - 2,
            credits,
            total_tokens: meta.actual_token_distribution.total_tokens,
          },
        }
      : {}),
    timings: trace.timings(),
  };
}

function authorOf({ agent, talk, found }: TracedContext, meta: MessageMeta): MessageTrace['by'] {
  if (!agent) return 'nobody';
  if (cannedAnswer(agent) !== undefined) return 'message';
  if (meta.model !== undefined) return 'model';
  if (talk && !found[0]?.match.exact) return 'small_talk';
  return meta.functions_called.length > 0 && meta.fallback === undefined ? 'function' : 'quotes';
}

function describeQuery(
  { question, query, found, turns, agents }: TracedContext,
  search: SearchTrace | undefined,
): MessageTrace['query'] {
  const terms = describeTerms(query, search);
  return {
    text: cut(query.text, TRACED_QUERY_LENGTH),
    asks: cut(query.question, TRACED_QUERY_LENGTH),
    language: query.language.detected ?? '',
    reply_language: query.language.replyLanguage(found, question.acceptedLanguages),
    is_question: query.isQuestion,
    is_long_form: query.isLongForm,
    earlier_questions:
      query.beside > query.earlier ? searchedQuestions(turns, agents).map((text) => cut(text, SENTENCE_LENGTH)) : [],
    terms,
    unknown_words: terms.filter(({ from, known }) => from === 'question' && !known).map(({ word }) => word),
    unknown_names: round(query.unknownNames),
  };
}

const describeTerms = (query: Query, search: SearchTrace | undefined): MessageTrace['query']['terms'] =>
  query.terms.map(({ word, weight, worth }, at) => {
    const matches = search?.matches[at] ?? [];
    return {
      word: cut(word, LABEL_LENGTH),
      from: at < query.implied ? 'question' : at < query.earlier ? 'phrase' : at < query.beside ? 'earlier' : 'beside',
      weight: round(weight),
      worth: round(worth),
      known: matches.some(({ kind }) => kind === 'word'),
      matches: matches.slice(0, MATCHES_SHOWN).map(({ kind, words }) => ({
        kind,
        words: words.slice(0, FORMS_SHOWN).map((form) => cut(form, LABEL_LENGTH)),
      })),
    };
  });

const NO_PARTS: ScoreParts = { bm25: 0, proximity: 0, sentence: 0, vector: 0, pair: 0, quoted: 0, page: 0 };

const rewrittenOf = ({ why, queries }: Searched): Searched => ({ why, queries });

/** In the order of their ranks, which count from 1. */
function passagesOf({ search, given }: AnswerTrace): SearchTrace['candidates'] {
  const scored = (search?.candidates ?? []).slice(0, CANDIDATES_SHOWN);
  const shown = new Set(scored.map(({ entry }) => entry));
  const others = given.filter(({ entry }) => !shown.has(entry)).map((one) => ({ ...one, score: 0, parts: NO_PARTS }));
  return [...scored, ...others];
}

function candidatesOf(trace: AnswerTrace, found: Found[]): MessageTrace['search']['candidates'] {
  const wasFound = new Set(found.map(({ entry }) => entry));
  const wasGiven = new Set(trace.given.map(({ entry }) => entry));
  return passagesOf(trace).map(({ source, headings, text, score, parts, entry }, at) => ({
    rank: at + 1,
    data_source_uuid: source.uuid,
    title: cut(source.title, LABEL_LENGTH),
    address: cut(source.file_name, TRACED_ADDRESS_LENGTH),
    type: source.type,
    headings: headings.slice(0, HEADINGS_SHOWN).map((heading) => cut(heading, LABEL_LENGTH)),
    text: cut(text, PASSAGE_LENGTH),
    score: round(score),
    parts: {
      bm25: round(parts.bm25),
      proximity: round(parts.proximity),
      sentence: round(parts.sentence),
      vector: round(parts.vector),
      pair: round(parts.pair),
      quoted: round(parts.quoted),
      page: round(parts.page),
    },
    found: wasFound.has(entry),
    given: wasGiven.has(entry),
  }));
}

function sentencesOf(query: Query, found: Found[]): MessageTrace['sentences'] {
  const { pieces } = answerTo(query, found);
  const best = rank(query, found).candidates.slice(0, SENTENCES_SHOWN);
  return best.map(({ found: at, sentence: { text }, score, confidence }) => ({
    candidate: at + 1,
    text: cut(text, SENTENCE_LENGTH),
    score: round(score),
    covered: round(confidence),
    taken: pieces.some((piece) => piece.found === at && piece.text.includes(text)),
  }));
}

function decisionOf(query: Query, found: Found[]): MessageTrace['decision'] {
  const { pieces, isUnsure } = answerTo(query, found);
  const least = minConfidence(query, found);
  const ranking = rank(query, found);
  const { held, needed } = judge(ranking, query, found);
  return {
    certainty: pieces.length === 0 ? 'none' : isUnsure ? 'unsure' : 'sure',
    confidence: round(ranking.confidence),
    min_confidence: round(least),
    unsure_confidence: round(UNSURE_CONFIDENCE * least),
    held: round(held),
    min_held: round(Math.min(1, Math.max(0, needed))),
  };
}

/** Each with where its words stand, in a passage that the answer is made from. */
function citationsOf({ cite_data_json }: StoredMessage, trace: AnswerTrace, found: Found[]): MessageTrace['citations'] {
  const all = Object.entries(JSON.parse(cite_data_json) as Citations).slice(0, CITATIONS_SHOWN);
  const passages = passagesOf(trace);
  return all.map(([marker, { data_source_uuid, title, text, file_name, type }]) => {
    const holds = ({ source, text: whole }: Found): boolean => source.uuid === data_source_uuid && whole.includes(text);
    const passage = trace.given[Number(marker) - 1];
    const quoted = passage && holds(passage) ? passage : [...found, ...trace.given].find(holds);
    const start = quoted?.text.indexOf(text) ?? 0;
    return {
      marker,
      data_source_uuid,
      title,
      address: file_name,
      type,
      text: cut(text, QUOTED_LENGTH),
      before: quoted?.text.slice(Math.max(0, start - AROUND_LENGTH), start).toWellFormed() ?? '',
      after: cut(quoted?.text.slice(start + text.length) ?? '', AROUND_LENGTH),
      candidate: passages.findIndex(({ entry }) => entry === quoted?.entry) + 1,
    };
  });
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();
