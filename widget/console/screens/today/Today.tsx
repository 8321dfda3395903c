import { useLocation } from 'preact-iso/router';
import { me } from '../../account/account.ts';
import { may } from '../../account/membership.ts';
import { Empty, Pending } from '../../parts/controls.tsx';
import { Table } from '../../parts/Table.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { Analytics, DayFigures } from '../../records.ts';
import { get } from '../../wire.ts';
import { Sparkline } from './Sparkline.tsx';
import { ToDo } from './ToDo.tsx';
import { WeeklyMail } from './WeeklyMail.tsx';

const RANGES = [7, 30, 90];
const DAY_MS = 86_400_000;

const FIGURES = {
  asked: 'Asked',
  answered: 'Answered',
  unsure: 'Not sure',
  unknown: 'Not known',
  handed_over: 'Asked for a person',
  rated_up: 'Voted up',
  rated_down: 'Voted down',
  refused: 'Over the limit',
  credits: 'Credits',
} as const;
type Figure = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Figure[];

/** The days up to today, in UTC as the server counts them, oldest first. */
const lastDays = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => new Date(Date.now() - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10));

/** What visitors asked in the last days, and what to do next. */
export function Today({ chatbot }: { chatbot: string }) {
  const { path, query } = useLocation();
  const range = RANGES.find((days) => String(days) === query['days']) ?? 30;
  return (
    <>
      <ToDo chatbot={chatbot} />
      <nav class="tools" aria-label="Days">
        {RANGES.map((one) => (
          <a key={one} class="button" href={`${path}?days=${one}`} aria-current={one === range ? 'true' : undefined}>
            {one} days
          </a>
        ))}
      </nav>
      <LastDays key={range} chatbot={chatbot} range={range} />
      {me().has_mail && !me().is_guest && <WeeklyMail chatbot={chatbot} />}
    </>
  );
}

/** The figures of so many days, made anew for others: what stands there is never of another range. */
function LastDays({ chatbot, range }: { chatbot: string; range: number }) {
  const days = lastDays(range);
  const loading = useLoad(`${chatbot}\n${days[0]}\n${days.at(-1)}`, (signal) =>
    get<Analytics>(`/api/v1/chatbot/${chatbot}/analytics?from=${days[0]}&to=${days.at(-1)}`, signal),
  );
  const figures = loading.data.value;
  const rowOf = new Map(figures?.days.map((row) => [row.day, row]));
  const rows = days.map((day): DayFigures => rowOf.get(day) ?? { day, ...NOTHING });
  return (
    <>
      <Pending of={loading} what="the figures" />
      {figures?.asked === 0 && (
        <Empty title={`Nobody has asked in the last ${range} days`}>
          {may(chatbot, 'edit') ? (
            <>
              Put the chatbot on your site: <a href={`/console/chatbot/${chatbot}/start`}>Start</a> has the snippet. Or
              ask it yourself in the <a href={`/console/chatbot/${chatbot}/playground`}>Playground</a>, which counts
              nothing.
            </>
          ) : (
            'What visitors ask is counted here.'
          )}
        </Empty>
      )}
      {figures && figures.asked > 0 && (
        <>
          <ul class="figures" aria-label={`In the last ${range} days`}>
            {namesIn([figures]).map((name) => (
              <li key={name}>
                <span class="muted">{FIGURES[name]}</span> <strong>{figures[name].toLocaleString('en')}</strong>
                <Sparkline values={rows.map((row) => row[name])} />
              </li>
            ))}
          </ul>
          <details>
            <summary>The same figures by day</summary>
            <FiguresTable label="Figures by day" first="Day" rows={rows.toReversed().map((row) => [row.day, row])} />
          </details>
          <Section
            title="By agent"
            first="Agent"
            rows={figures.agents.map((row) => [row.agent ? row.name || 'A deleted agent' : 'Nobody', row])}
          />
          <Section
            title="By page"
            first="Page"
            rows={figures.pages.map((row) => [row.page || 'No page, or one of few questions', row])}
          />
          <Section
            title="By language"
            first="Language"
            rows={figures.languages.map((row) => [languageName(row.language), row])}
          />
        </>
      )}
    </>
  );
}

const NOTHING = {
  asked: 0,
  answered: 0,
  unsure: 0,
  unknown: 0,
  handed_over: 0,
  rated_up: 0,
  rated_down: 0,
  refused: 0,
  credits: 0,
};

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language' });
const languageName = (code: string): string => (code ? (LANGUAGES.of(code) ?? code) : 'Too short to tell');

type Row = [name: string, figures: Partial<Record<Figure, number>>];

/** What the rows have, and what the rate limit refused only where that is anything. */
const namesIn = (rows: Row[1][]): Figure[] =>
  NAMES.filter((name) => rows.some((row) => row[name]! > (name === 'refused' ? 0 : -1)));

interface TableProps {
  first: string;
  rows: Row[];
}

const Section = ({ title, ...table }: TableProps & { title: string }) => (
  <section>
    <h2>{title}</h2>
    <FiguresTable label={title} {...table} />
  </section>
);

function FiguresTable({ label, first, rows }: TableProps & { label: string }) {
  const names = namesIn(rows.map(([, figures]) => figures));
  return (
    <Table label={label} heads={[first, ...names.map((name): [string, string] => [FIGURES[name], 'number'])]}>
      {rows.map(([row, figures], at) => (
        <tr key={at}>
          <th scope="row">
            <span class="cut">{row}</span>
          </th>
          {names.map((name) => (
            <td key={name} class="number">
              {figures[name]?.toLocaleString('en')}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
