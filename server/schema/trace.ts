import * as Type from 'typebox';
import type { Static } from 'typebox';
import { literals, record, Uuid } from './fields.ts';
import { TraceParts } from './parts.ts';

/** How one question is answered: what was read of it, found for it, and chosen. Texts are cut, numbers have four decimals. */

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String();
const share = (description: string) => Type.Number({ description });

const TraceTerm = record({
  word: Text,
  from: literals(
    '`question`: the part that asks; `phrase`: implied by a turn of phrase in it; `earlier`: questions before it; `beside`: the rest of the message.',
    'question',
    'phrase',
    'earlier',
    'beside',
  ),
  weight: share('What it counts in the ranking of passages: more the fewer pages have it.'),
  worth: share('How much confidence an answer without it loses; 0 for words beside the question.'),
  known: Type.Boolean({ description: 'Whether a page has the word in any form.' }),
  matches: Type.Array(
    record({
      words: Type.Array(Text, { description: 'Forms that pages have, at most three.' }),
      kind: literals(
        '`word`: the word itself; `correction`: its likely spelling; `synonym`.',
        'word',
        'correction',
        'synonym',
      ),
    }),
    { description: 'What of the pages counts as this word; at most eight.' },
  ),
});

const TraceQuery = record({
  text: Text,
  asks: Type.String({ description: 'The part that asks: confidence is computed from its words alone.' }),
  language: Type.String({ description: 'Tag of the language; empty where the words do not tell.' }),
  reply_language: Text,
  is_question: Type.Boolean({ description: 'False for mere keywords.' }),
  is_long_form: Type.Boolean({ description: 'Whether it asks for a text of some length.' }),
  earlier_questions: Type.Array(Text, {
    description: 'Questions before it whose words are added, oldest first: none where it can be understood alone.',
  }),
  terms: Type.Array(TraceTerm),
  unknown_words: Type.Array(Text, { description: 'Words of the part that asks that no page has.' }),
  unknown_names: share('0 to 1: the share of names that no page has; the confidence is less by it.'),
});

const Score = Type.Number();

const TraceCandidate = record({
  rank: Type.Integer({ minimum: 1 }),
  data_source_uuid: Uuid,
  title: Text,
  address: Type.String({ description: 'The URL for a link, the name of the file for an upload.' }),
  type: Text,
  headings: Type.Array(Text),
  text: Type.String({ description: 'The passage, at most 1,000 characters of it.' }),
  score: Type.Number({ description: 'Comparable within one question only; the sum of `parts`.' }),
  parts: record({
    bm25: Score,
    proximity: Type.Number({
      description: 'Words near each other, in order and form of the question, or in headings.',
    }),
    sentence: Type.Number({ description: 'How much of the question its best sentence has.' }),
    vector: Type.Number({ description: 'Likeness of meaning; 0 without an embedding model.' }),
    pair: Type.Number({ description: 'It answers this very question, or one like it.' }),
    quoted: Type.Number({
      description: 'The answer before quoted it or its page, and the message may go on from that.',
    }),
    page: Type.Number({
      description: 'It is of the page that the visitor is on (3 % of the score), or of its folder (1.5 %).',
    }),
  }),
  found: Type.Boolean({ description: 'Among the passages that answers are made from.' }),
  given: Type.Boolean({ description: 'The model got it with the question.' }),
});

const TraceRewritten = Type.Object(
  {
    why: literals(
      'Why the message is no good search: it goes on from the one before, is in another language than the site, asks several things, or is answered in part alone.',
      'follow_up',
      'language',
      'several',
      'part',
    ),
    queries: Type.Array(Text, { description: 'Empty where the model wrote none in time.' }),
  },
  {
    additionalProperties: false,
    description:
      'What was searched for instead of the message, as `search` in its `meta_json`: as the model wrote it or, without a model, its questions one by one, or the part of it that is answered; absent otherwise.',
  },
);

const TraceSentence = record({
  candidate: Type.Integer({ minimum: 1, description: 'The `rank` of its passage.' }),
  text: Type.String({ description: 'At most 500 characters.' }),
  score: Score,
  covered: share('0 to 1: how much of what is asked it has words for, itself or by what stands around it.'),
  taken: Type.Boolean({ description: 'Whether it is quoted; with a model, whether it would be without one.' }),
});

const TraceDecision = record({
  certainty: literals(
    'What quotes alone would be: `sure`, `unsure` (told as the closest that was found), or `none`.',
    'sure',
    'unsure',
    'none',
  ),
  confidence: share('How likely it is that the passages answer the question.'),
  min_confidence: share('Below it, nothing is told as an answer.'),
  unsure_confidence: share('Below it, nothing is quoted.'),
  held: share('The share of what is asked that the best passage, its title or its headings have words for.'),
  min_held: share(
    'Below it, a quotation is `unsure`. The farther the best passage is ahead of the others, the less is needed.',
  ),
});

const TraceRouting = Type.Object(
  {
    by: literals('What decided.', 'only', 'rule', 'classifier', 'model'),
    agent: Type.Optional(Uuid),
    rule: Type.Optional(record({ agent: Uuid, index: Count })),
    detected: Type.Optional(literals('What the message clearly is.', 'person', 'spam', 'small_talk')),
    margin: Type.Optional(Type.Number()),
    candidates: Type.Optional(
      Type.Array(record({ uuid: Uuid, name: Text, score: Score, classifier: Score, bias: Score, stickness: Score })),
    ),
  },
  {
    additionalProperties: false,
    description: 'As `routing` in the `meta_json` of a message; absent where no agent can answer.',
  },
);

const TraceCitation = record({
  marker: Text,
  data_source_uuid: Uuid,
  title: Text,
  address: Text,
  type: Text,
  text: Type.String({ description: 'The quoted words, at most 2,000 characters.' }),
  before: Type.String({ description: 'What stands before them in the passage, at most 300 characters.' }),
  after: Type.String({ description: 'What stands behind them in the passage, at most 300 characters.' }),
  candidate: Type.Integer({
    minimum: 0,
    description: 'The `rank` of the passage; 0 for one that is not among the candidates.',
  }),
});

const TraceRemoved = record({
  marker: Type.String({ description: 'As the model wrote it, without brackets.' }),
  claim: Type.String({ description: 'What it stood behind, at most 500 characters.' }),
  why: literals(
    '`unknown`: no passage has that number; `unsupported`: the words of its passage do not say it; `link`: Markdown would read it as one; `judge`: the model, asked whether the passage says it, said no.',
    'unknown',
    'unsupported',
    'link',
    'judge',
  ),
});

export const MessageTrace = record({
  answer: Type.String({ description: 'At most 20,000 characters.' }),
  by: literals(
    'What wrote the answer: `quotes` of the sources, the `model`, the agent’s own `message`, `small_talk`, or a tool `function`; `nobody` where no agent can answer.',
    'quotes',
    'model',
    'message',
    'small_talk',
    'function',
    'nobody',
  ),
  outcome: literals('As in `meta_json`.', 'answered', 'unsure', 'unknown'),
  finish_reason: Text,
  citations: Type.Array(TraceCitation),
  removed: Type.Array(TraceRemoved, {
    description:
      'Markers of the model’s that readers do not get, in order, at most 50; empty without `show_citations`.',
  }),
  parts: TraceParts,
  follow_ups: Type.Array(Text, { description: 'Questions to go on with, as the visitor gets them.' }),
  fallback: Type.String({ description: 'Why quotes stand in for the model; empty where they do not.' }),
  error_message: Type.String({ description: 'Why the answer failed; empty where it did not.' }),
  agent: record({ uuid: Text, name: Text, type: Text }),
  routing: Type.Optional(TraceRouting),
  functions_called: Type.Array(record({ name: Text, content: Text })),
  query: TraceQuery,
  search: record({
    passages: Type.Integer({ minimum: 0, description: 'In the index of the chatbot.' }),
    all_sources: Type.Boolean({ description: 'False where the agent answers from some of the sources, or from none.' }),
    rewritten: Type.Optional(TraceRewritten),
    candidates: Type.Array(TraceCandidate, {
      description:
        'Best first, at most 20; then what else the model got, from the sections of the best and from its own searches, without a score.',
    }),
  }),
  sentences: Type.Array(TraceSentence, { description: 'Best first, at most 30; empty where nothing is quoted from.' }),
  decision: Type.Optional(TraceDecision),
  model: Type.Optional(
    record({
      name: Text,
      prompt: Type.String({ description: 'Rules and passages as the model got them, at most 20,000 characters.' }),
      earlier_messages: Type.Integer({ minimum: 0, description: 'Of earlier turns, that the model got too.' }),
      credits: Count,
      total_tokens: Count,
    }),
  ),
  timings: Type.Object(
    { agent: Count, search: Count, write: Count, check: Count },
    {
      additionalProperties: false,
      description:
        'Milliseconds of each step: until it was clear who answers; the search; until the text was written, its markers checked by their words; the check by the model, and the end.',
    },
  ),
});
export type MessageTrace = Static<typeof MessageTrace>;

/** How one call of a tool function went. */
export const FunctionTrial = record({
  outcome: literals(
    '`done`; `failed`: refused or not carried out; `unsure`: of a function that acts, it failed and may have been carried out all the same.',
    'done',
    'failed',
    'unsure',
  ),
  status: Type.Integer({ description: 'HTTP status of the reply; 0 where none came.' }),
  ms: Type.Integer({ description: 'Milliseconds until the reply was whole.' }),
  answer: Type.String({ description: 'The text of the reply; what can be a secret of the request is `****` in it.' }),
  is_cut: Type.Boolean({ description: 'Whether the reply goes on: 16,000 characters of it are shown.' }),
  error: Type.String({ description: 'Why no reply came; empty where one did.' }),
});
export type FunctionTrial = Static<typeof FunctionTrial>;
