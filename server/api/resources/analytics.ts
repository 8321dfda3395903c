import * as Type from 'typebox';
import { Analytics, AnalyticsQuery, CitedSource } from '../../schema/analytics.ts';
import { daysBefore, timestamp } from '../../schema/ids.ts';
import { FIGURES, groupBy, QUESTION_FIGURES, type FigureName, type Figures } from '../../store/shared/figures.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';
import { readDays } from '../requests/time-range.ts';

/** Pages of a reply that have a name. */
const MAX_PAGES = 100;
/** Days of a reply where the query names none. */
const DEFAULT_DAYS = 30;

export const analytics = ({ store, runs, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'getAnalytics',
    right: 'read figures',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/analytics',
    summary: 'Fetch what was asked of a chatbot, counted by day, agent, page and language',
    description:
      'Deleting messages and sessions takes nothing away, whether by hand or because `keep_days` have passed; deleting the chatbot does. A question counts on its day in UTC, once its answer has ended. Another server on the same database adds what it counted within 2 seconds, and one that is killed loses that much.',
    query: AnalyticsQuery,
    reply: Analytics,
    async handle({ user, uuid, ctx }) {
      const { owner } = await ownedChatbot(store, user, uuid);
      const today = timestamp(clock).slice(0, 10);
      const { from, to } = readDays(ctx.query, today, (last) => daysBefore(last, DEFAULT_DAYS - 1));
      await runs.figures.flush();
      const [figures, usage, agents] = [
        await store.figures(uuid, from, to),
        (await store.usage(owner, from, to)).filter(({ chatbot }) => chatbot === uuid),
        await store.agents(uuid),
      ];
      const of = (by: Figures['by']): [string, Figures[]][] => [
        ...groupBy(
          figures.filter((one) => one.by === by),
          ({ name }) => name,
        ),
      ];
      const named = new Map(agents.map((agent) => [agent.uuid, agent.name]));
      const creditsOf = (rows: typeof usage): number => Math.round(rows.reduce((sum, { credits }) => sum + credits, 0));
      const inAll = figures.filter(({ by }) => by === '');
      const byDay = groupBy(inAll, ({ day }) => day);
      const spent = groupBy(usage, ({ day }) => day);
      const days = [...new Set([...byDay.keys(), ...spent.keys()])].toSorted();
      return {
        from,
        to,
        ...figuresOf(inAll),
        credits: creditsOf(usage),
        days: days.map((day) => ({ day, ...figuresOf(byDay.get(day)), credits: creditsOf(spent.get(day) ?? []) })),
        agents: mostFirst(
          of('agent').map(([agent, rows]) => ({ agent, name: named.get(agent) ?? '', ...questionsOf(rows) })),
        ),
        pages: mostFirst(boundPages(of('page')).map(([page, rows]) => ({ page, ...questionsOf(rows) }))),
        languages: mostFirst(of('language').map(([language, rows]) => ({ language, ...questionsOf(rows) }))),
      };
    },
  }),
  operation({
    id: 'listCitedSources',
    right: 'read figures',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/data-sources/cited',
    summary: 'List how often each source of a chatbot was cited in answers',
    description:
      'Sources that are not in the list were never cited. Deleting messages and sessions takes nothing away; deleting the source does. What is counted is stored as the figures of `analytics` are.',
    reply: Type.Array(CitedSource),
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      await runs.figures.flush();
      const all = await store.cited(uuid);
      return all.map(({ source, answers, last_at }) => ({ data_source: source, answers, last_cited_at: last_at }));
    },
  }),
];

type Sums = Record<(typeof QUESTION_FIGURES)[number], number>;

/** A process that was killed may have taken away what it had not stored: no sum is below 0. */
function sumOf<Name extends FigureName>(rows: readonly Figures[], names: readonly Name[]): Record<Name, number> {
  const sum = (name: Name): number =>
    Math.max(
      0,
      rows.reduce((all, one) => all + one[name], 0),
    );
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Record<Name, number>;
}

const figuresOf = (rows: readonly Figures[] = []) => sumOf(rows, FIGURES);
const questionsOf = (rows: readonly Figures[]): Sums => sumOf(rows, QUESTION_FIGURES);

const askedOf = (rows: readonly Figures[]): number => rows.reduce((all, { asked }) => all + asked, 0);

/** What has no name any more, or nothing counted, is left out. */
const mostFirst = <T extends Sums>(rows: T[]): T[] =>
  rows.filter((one) => QUESTION_FIGURES.some((name) => one[name] > 0)).sort((a, b) => b.asked - a.asked);

function boundPages(pages: [string, Figures[]][]): [string, Figures[]][] {
  const named = pages.filter(([page]) => page !== '').sort(([, a], [, b]) => askedOf(b) - askedOf(a));
  const others = pages.filter(([page]) => page === '').concat(named.splice(MAX_PAGES));
  return others.length > 0 ? [...named, ['', others.flatMap(([, rows]) => rows)]] : named;
}
