import * as Type from 'typebox';
import type { Static } from 'typebox';
import { record, Uuid } from './fields.ts';
import { Query } from './records.ts';

/** What was asked of a chatbot, counted, and what of it in vain. */

const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'a day in UTC, `YYYY-MM-DD`' });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const figures = {
  asked: count('Questions. One that was asked again in place of its answer counts once.'),
  answered: count('Of them those that were answered.'),
  unsure: count('Those answered with low confidence.'),
  unknown: count('Those that the sources do not answer.'),
  handed_over: count('Conversations in which the visitor first asked for a person.'),
  rated_up: count('Answers that visitors rate 1, on the day of the question.'),
  rated_down: count('Answers that visitors rate -1.'),
};
export const Figures = record(figures);
const refused = count(
  'Questions of visitors that `rate_limit` refused with 429; one that is sent again counts again. They are not among `asked`.',
);

const Credits = Type.Integer({ minimum: 0, description: 'Message credits, as `GET /usage` has them.' });

export const DayFigures = record({ day: Day, ...figures, refused, credits: Credits });
export const AgentFigures = record({
  agent: Type.String({ description: 'Uuid of the agent that answered; empty where none did.' }),
  name: Type.String({ description: 'Its name; empty where it is deleted.' }),
  ...figures,
});
export const PageFigures = record({
  page: Type.String({
    description: 'Host and path; empty where the browser said no page, and for all pages but those asked on most.',
  }),
  ...figures,
});
export const LanguageFigures = record({
  language: Type.String({
    description: 'Code of the language, such as `de`; empty where a question is too short to tell.',
  }),
  ...figures,
});

export const Analytics = record({
  from: Day,
  to: Day,
  ...figures,
  refused,
  credits: Credits,
  days: Type.Array(DayFigures, { description: 'In order; days without anything are left out.' }),
  agents: Type.Array(AgentFigures, { description: 'Most questions first, like the lists below.' }),
  pages: Type.Array(PageFigures, { description: 'At most 100, and the rest under the empty name.' }),
  languages: Type.Array(LanguageFigures),
});
export type Analytics = Static<typeof Analytics>;

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(Type.String({ description: 'First day in UTC, `YYYY-MM-DD`. Default: 29 days before `to`.' })),
  to: Type.Optional(
    Type.String({ description: 'Last day in UTC, `YYYY-MM-DD`, at most 366 days with the first. Default: today.' }),
  ),
});

export const CitedSource = record({
  data_source: Uuid,
  answers: count('Answers that cite it.'),
  last_cited_at: Type.String({ description: 'When the last of them was asked for, ISO 8601.' }),
});

const Time = Type.String({ description: 'ISO 8601' });

export const Gap = record({
  question: Type.String({ description: 'In the words that were used most.' }),
  count: count('Messages that ask for it.'),
  last_asked: Time,
  reasons: record({
    unknown: count('Messages that the sources did not answer.'),
    unsure: count('Those answered with low confidence.'),
    rated_down: count('Those whose answer the visitor voted down.'),
    asked_again: count('Those that the same visitor asked again at once, in other words.'),
  }),
  wordings: Type.Array(record({ query: Type.String(), session: Uuid, asked_at: Time }), {
    description: 'At most 5, each cut at 300 characters.',
  }),
  passages: Type.Array(record({ data_source_uuid: Uuid, title: Type.String(), text: Type.String() }), {
    description: 'The nearest, at most 3, each cut at 300 characters.',
  }),
});

export const GapList = record({
  count: count('Groups, with those that are not listed.'),
  is_cut: Type.Boolean({ description: 'There are older messages, or more groups, than were looked at.' }),
  gaps: Type.Array(Gap, { description: 'At most 50, those with most questions first.' }),
});

export const GapsQuery = Type.Object({
  hidden: Type.Optional(Type.String({ description: '`true`: those that were hidden. Default: those that are open.' })),
});

export const GapChange = Type.Object({ question: Query });

export const NewGapDraft = Type.Object({
  questions: Type.Array(Query, {
    minItems: 1,
    maxItems: 5,
    description: 'a list of 1 to 5 questions for the same thing, of each of which the first 1,000 characters count',
  }),
});

export const GapDraft = record({
  text: Type.String({ description: 'Markdown. `[___: …]` stands where the owner has to say what no passage says.' }),
  sources: Type.Array(record({ data_source_uuid: Uuid, title: Type.String() }), {
    description: 'Those whose passages the model was given; empty where none was near.',
  }),
});
