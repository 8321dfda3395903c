import * as Type from 'typebox';
import type { Static } from 'typebox';
import { record, Uuid } from './fields.ts';

/** What was asked of a chatbot, counted. */

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

const Credits = Type.Integer({ minimum: 0, description: 'Message credits, as `GET /usage` has them.' });

export const DayFigures = record({ day: Day, ...figures, credits: Credits });
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
