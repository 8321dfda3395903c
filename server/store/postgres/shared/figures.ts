import { FIGURES, MAX_PAGES, type Cited, type Figures, type FigureVerbs } from '../../shared/figures.ts';
import { inTransaction } from '../connection.ts';
import type { PostgresContext } from '../context.ts';

/** Of no meaning; the same in all processes, so that they take turns: each changes many rows, in its own order. */
const FIGURES_TURN = 4_712_026;

export function figureVerbs({ sql, run }: PostgresContext): FigureVerbs {
  const sums = sql.unsafe(FIGURES.map((name) => `${name} = figures.${name} + excluded.${name}`).join(', '));
  const columns = sql.unsafe(FIGURES.join(', '));
  const summed = sql.unsafe(FIGURES.map((name) => `coalesce(sum(${name}), 0)`).join(', '));
  const typed = sql.unsafe(FIGURES.map((name) => `${name} bigint`).join(', '));

  return {
    addFigures: (figures, cited) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          await tx`select pg_advisory_xact_lock(${FIGURES_TURN})`;
          await tx`
            insert into figures (chatbot, day, by, name, ${columns})
            select one.chatbot, day, by, name, ${summed}
            from json_to_recordset(${JSON.stringify(figures)}::text::json)
              as one (chatbot text, day text, by text, name text, ${typed})
            join chatbots c on c.uuid = one.chatbot and not c.is_deleted
            group by one.chatbot, day, by, name
            on conflict (chatbot, day, by, name) do update set ${sums}`;
          const days = figures.filter(({ by }) => by === 'page').map(({ chatbot, day }) => ({ chatbot, day }));
          if (days.length > 0)
            await tx`
              with places as (
                select chatbot, day, name, row_number() over (partition by chatbot, day order by asked desc, name) as place,
                  count(*) over (partition by chatbot, day) as pages
                from figures where by = 'page' and name <> '' and (chatbot, day) in (
                  select chatbot, day from json_to_recordset(${JSON.stringify(days)}::text::json) as one (chatbot text, day text))),
              gone as (
                delete from figures f using places p
                where f.by = 'page' and f.chatbot = p.chatbot and f.day = p.day and f.name = p.name
                  and p.pages > ${2 * MAX_PAGES} and p.place > ${MAX_PAGES}
                returning f.*)
              insert into figures (chatbot, day, by, name, ${columns})
              select chatbot, day, 'page', '', ${summed}
              from gone group by chatbot, day
              on conflict (chatbot, day, by, name) do update set ${sums}`;
          const ofSources = Object.values(cited).flat();
          if (ofSources.length > 0)
            await tx`
              insert into cited (source, answers, last_at)
              select source, sum(answers), max(last_at)
              from json_to_recordset(${JSON.stringify(ofSources)}::text::json)
                as one (source text, answers bigint, last_at text)
              join sources s on s.uuid = one.source
              group by source
              on conflict (source) do update set answers = cited.answers + excluded.answers,
                last_at = greatest(cited.last_at, excluded.last_at)`;
        }),
      ),
    figures: (chatbot, from, to) =>
      run(async () => {
        const rows = await sql<Figures[]>`
          select chatbot, day, by, name, ${sql.unsafe(FIGURES.map((name) => `${name}::float8 as ${name}`).join(', '))}
          from figures where chatbot = ${chatbot} and day between ${from} and ${to}
          order by day, array_position(array['', 'agent', 'page', 'language'], by), name collate "C"`;
        return rows.map((row) => ({ ...row }));
      }),
    cited: (chatbot) =>
      run(async () => {
        const rows = await sql<Cited[]>`
          select source, answers::float8 as answers, last_at from cited join sources on uuid = source
          where chatbot = ${chatbot} order by source`;
        return rows.map((row) => ({ ...row }));
      }),
  };
}
