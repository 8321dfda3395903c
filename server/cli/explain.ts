import type { MessageTrace } from '../schema/trace.ts';
import { pluralize, sanitizeLine, table } from './command.ts';

/** Passages and sentences that are listed, and characters of each. */
const [PASSAGES_LISTED, SENTENCES_LISTED] = [5, 5];
const LISTED_LENGTH = 100;

type Candidate = MessageTrace['search']['candidates'][number];
type Decision = NonNullable<MessageTrace['decision']>;

/** What `docent ask --explain` prints below the answer: for the owner of a site, in the order in which the answer was made. */
export function explanation(trace: MessageTrace): string {
  const { candidates } = trace.search;
  const rows = [
    ['why', reasonOf(trace)],
    ['agent', agentOf(trace)],
    ...(NO_PAGES.has(trace.by) ? [] : wordRows(trace)),
    ...(trace.search.rewritten ? [['searched', searchedOf(trace.search.rewritten)]] : []),
    ...(trace.decision ? decisionRows(trace.decision) : []),
    ...(trace.model ? [['model', modelOf(trace)]] : []),
    ...trace.functions_called.map(({ name, content }) => ['function', short(`${name}: ${content}`)]),
  ];
  return [
    table(rows.map((row) => row.map(sanitizeLine))),
    candidates.length > 0 ? `\n${passagesOf(trace)}` : '',
    trace.sentences.length > 0 ? `\n${sentencesOf(trace)}` : '',
  ].join('');
}

/** Answers for which no page is read. */
const NO_PAGES = new Set<MessageTrace['by']>(['message', 'small_talk', 'nobody']);

function reasonOf(trace: MessageTrace): string {
  const { by, search, fallback, error_message } = trace;
  if (error_message) return `the answer failed: ${error_message}`;
  const instead = fallback ? `${fallback === 'quota' ? 'credits are spent' : `the model failed (${fallback})`}; ` : '';
  if (by === 'nobody') return 'no agent of the chatbot is enabled that could answer';
  if (by === 'message') return 'the agent answers with its own message, and reads no pages';
  if (by === 'small_talk') return 'the message is small talk, and needs no page';
  if (by === 'function') return reasonOfFunction(trace);
  if (search.passages === 0) return 'the chatbot has learned no page yet: "docent learn CHATBOT URL --site"';
  if (search.candidates.length === 0) return `${instead}no page has any word of the question`;
  return instead + (by === 'model' ? reasonOfModel(trace) : reasonOfQuotes(trace));
}

const reasonOfFunction = ({ outcome }: MessageTrace): string =>
  outcome === 'unknown'
    ? 'it is like an example of a function, which gave nothing to show'
    : 'it is like an example of a function, whose reply is the answer';

function reasonOfModel({ search, outcome }: MessageTrace): string {
  const given = pluralize(search.candidates.filter((one) => one.given).length, 'passage');
  return outcome === 'unknown'
    ? `the model got ${given} and found no answer in them`
    : `the model wrote it, from ${given}`;
}

function reasonOfQuotes({ decision, sentences, search, query }: MessageTrace): string {
  const best = sentences.find(({ taken }) => taken) ?? sentences[0];
  const title = search.candidates.find(({ rank }) => rank === best?.candidate)?.title ?? '';
  if (search.candidates[0]!.parts.pair > 0) return `the question is that of your own answer “${title}”`;
  if (!decision || !best) return 'nothing that was found can be quoted';
  if (decision.certainty === 'sure') return `“${title}” has a sentence that answers`;
  const missing = missingOf(query);
  const because = missing === '' ? '' : `; no page says ${missing}`;
  if (decision.certainty === 'unsure') return `“${title}” is the closest, and may not answer${because}`;
  return `“${title}” is the closest, and too far from the question${because}`;
}

const missingOf = ({ unknown_words }: MessageTrace['query']): string =>
  unknown_words.map((word) => `“${word}”`).join(', ');

const REASONS = {
  follow_up: 'it goes on from the question before',
  language: 'it is in another language than the site',
  several: 'it asks several things',
  part: 'the rest of it asks nothing that pages answer',
};

function searchedOf({ why, queries }: NonNullable<MessageTrace['search']['rewritten']>): string {
  const written = queries.map((one) => `“${one}”`).join(', ');
  return `${written || 'the message itself, as the model wrote nothing in time'}; ${REASONS[why]}`;
}

function agentOf({ agent, routing, query }: MessageTrace): string {
  if (agent.uuid === '') return 'none';
  const [first, second] = routing?.candidates ?? [];
  const scores = first && second ? `, ${first.score} before ${second.name} with ${second.score}` : '';
  const how = {
    only: 'the only one that can answer',
    rule: `by rule ${(routing?.rule?.index ?? 0) + 1}`,
    classifier: `by its score${scores}`,
    model: `the model chose it${scores}`,
  }[routing?.by ?? 'only'];
  const chosen = routing?.detected ? `for the message is ${DETECTED[routing.detected]}` : how;
  return `${agent.name} (${agent.type}), ${chosen}; replies in ${query.reply_language}`;
}

const DETECTED = { person: 'a wish for a person', spam: 'spam', small_talk: 'small talk' };

/** What of the message counts, and as what. */
function wordRows({ query }: MessageTrace): string[][] {
  const asks = query.asks.trim();
  const shown = (from: string): string =>
    query.terms
      .filter((term) => term.from === from)
      .map(wordOf)
      .join(', ');
  const rows = [
    ['asks', asks === query.text.trim() ? '' : `“${short(asks)}”; the rest is not needed for an answer`],
    ['words', shown('question') || 'none that search uses'],
    ['implied', shown('phrase')],
    ['earlier', shown('earlier') && `${shown('earlier')}, from the questions before`],
    ['beside', shown('beside')],
    ['on no page', missingOf(query)],
  ];
  return rows.filter(([, text]) => text !== '');
}

function wordOf({ word, weight, matches, known }: MessageTrace['query']['terms'][number]): string {
  const others = known ? [] : matches.map(({ words }) => words[0] ?? '').filter((one) => one !== '');
  const read = others.length > 0 ? `, read as ${others.slice(0, 3).join(' or ')}` : '';
  return `${word} (${weight.toFixed(1)}${read})`;
}

const decisionRows = ({ confidence, min_confidence, unsure_confidence, held, min_held }: Decision): string[][] => [
  [
    'confidence',
    `${fixed(confidence)} (needed: ${fixed(min_confidence)}; for the closest ${fixed(unsure_confidence)})`,
  ],
  ['held', `${fixed(held)} of what is asked (needed: ${fixed(min_held)})`],
];

function modelOf({ model, search }: MessageTrace): string {
  const { name = '', credits = 0, total_tokens = 0, earlier_messages = 0 } = model ?? {};
  const given = pluralize(search.candidates.filter((one) => one.given).length, 'passage');
  const before = earlier_messages > 0 ? ` and ${pluralize(earlier_messages, 'earlier message')}` : '';
  return `${name || 'no answer'}; it got ${given}${before}; ${pluralize(total_tokens, 'token')}, ${pluralize(credits, 'credit')}`;
}

function passagesOf({ search: { candidates, passages } }: MessageTrace): string {
  const read = candidates.filter(({ found }) => found).length;
  const shown = candidates.slice(0, PASSAGES_LISTED);
  return `Passages: the best ${shown.length} of ${pluralize(passages, 'passage')}; ${read} are read\n${shown.map(passageOf).join('')}`;
}

function passageOf({ rank, title, headings, address, text, score, parts }: Candidate): string {
  const place = [...new Set([title, ...headings])].filter((one) => one !== '').join(' › ');
  const sum = PARTS.filter(([part]) => parts[part] > 0).map(([part, name]) => `${name} ${fixed(parts[part])}`);
  const lines = [place, address, `${fixed(score)} = ${sum.join(' + ')}`, short(text)].filter((one) => one !== '');
  return lines.map((line, at) => `${at === 0 ? `[${rank}]`.padStart(4) : '    '} ${sanitizeLine(line)}\n`).join('');
}

const PARTS: [keyof Candidate['parts'], string][] = [
  ['pair', 'your own answer to this question'],
  ['quoted', 'quoted by the answer before'],
  ['bm25', 'words'],
  ['proximity', 'order and headings'],
  ['sentence', 'best sentence'],
  ['vector', 'meaning'],
  ['page', 'page of the visitor'],
];

function sentencesOf({ sentences, by }: MessageTrace): string {
  const taken = by === 'model' ? 'would be quoted without a model' : 'is quoted';
  const shown = sentences.filter((one, at) => one.taken || at < SENTENCES_LISTED);
  const lines = shown.map(
    ({ candidate, score, covered, text, taken: isTaken }) =>
      `${isTaken ? ' * ' : '   '}${fixed(score)}  ${percent(covered)}  [${candidate}]  ${sanitizeLine(short(text))}\n`,
  );
  return `Sentences: score, share of the question, passage; * ${taken}\n${lines.join('')}`;
}

const fixed = (value: number): string => value.toFixed(2);

const percent = (share: number): string => `${Math.round(100 * share)} %`.padStart(5);

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LISTED_LENGTH ? `${line.slice(0, LISTED_LENGTH).toWellFormed()}…` : line;
};
