/** What is counted of a chatbot's questions, day by day: it stays when conversations are deleted. */

/** In all, and of each agent, page and language. */
export const QUESTION_FIGURES = [
  'asked',
  'answered',
  'unsure',
  'unknown',
  'handed_over',
  'rated_up',
  'rated_down',
] as const;
/** `refused` only in all: nothing more is known of a question over the rate limit. */
export const FIGURES = [...QUESTION_FIGURES, 'refused'] as const;
export type FigureName = (typeof FIGURES)[number];

/** What was asked on a day, or its change: in all, or by one agent, page or language. */
export interface Figures extends Record<FigureName, number> {
  chatbot: string;
  /** In UTC, `YYYY-MM-DD`: when the question came. */
  day: string;
  by: (typeof FIGURES_BY)[number];
  /** The agent's uuid, the page as `pageName` has it, the language's code. '' for all, for none, and for the pages left out. */
  name: string;
}

export const FIGURES_BY = ['', 'agent', 'page', 'language'] as const;

/** In how many answers a source was cited, or how many more. */
export interface Cited {
  source: string;
  answers: number;
  /** When the last of them was asked for, ISO 8601. */
  last_at: string;
}

export interface FigureVerbs {
  /**
   * Adds up what is given, all in one. Of the pages of a day `MAX_PAGES` at least keep a name of their own, those with the most
   * questions. Figures of chatbots and sources that are gone are left out.
   */
  addFigures(figures: readonly Figures[], cited: Readonly<Record<string, readonly Cited[]>>): Promise<void>;
  /** A chatbot's sums from day `from` to day `to`, both included, in order of days, `by` and `name`. */
  figures(chatbot: string, from: string, to: string): Promise<Figures[]>;
  /** Of a chatbot's sources those that were ever cited, in order of their uuids. */
  cited(chatbot: string): Promise<Cited[]>;
}

/** Pages of a day that have a name of their own, once there are more than twice as many. */
export const MAX_PAGES = 50;

export const NO_FIGURES = Object.fromEntries(FIGURES.map((name) => [name, 0])) as Record<FigureName, number>;

/** Of what an earlier version has stored. */
export const wholeFigures = (one: Figures): Figures => ({ ...NO_FIGURES, ...one });

export const keyOfFigures = ({ day, by, name }: Pick<Figures, 'day' | 'by' | 'name'>): string =>
  `${day} ${FIGURES_BY.indexOf(by)} ${name}`;

export const inOrder = (figures: Figures[]): Figures[] =>
  figures
    .map((one) => [keyOfFigures(one), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, one]) => one);

/** Changes `sums`, by `keyOfFigures`. */
export function addFiguresTo(sums: Map<string, Figures>, one: Figures): void {
  const key = keyOfFigures(one);
  const sum = sums.get(key);
  if (sum) for (const name of FIGURES) sum[name] += one[name];
  else sums.set(key, { ...one });
}

/** Gives the pages of days that have too many to ''; changes `sums`, all of one chatbot. */
export function boundPages(sums: Map<string, Figures>): void {
  const pages = [...sums.values()].filter(({ by, name }) => by === 'page' && name !== '');
  for (const ofDay of groupBy(pages, ({ day }) => day).values()) {
    if (ofDay.length <= 2 * MAX_PAGES) continue;
    for (const one of ofDay.toSorted((a, b) => b.asked - a.asked).slice(MAX_PAGES)) {
      sums.delete(keyOfFigures(one));
      addFiguresTo(sums, { ...one, name: '' });
    }
  }
}

export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
