import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createMarkerFilter } from '../../server/answer/citations/stream-filter.ts';
import { Run } from '../../server/answer/run.ts';
import type { Found } from '../../server/knowledge/search/found.ts';
import type { StoredMessage } from '../../server/store/store.ts';
import { stemsFor } from '../../server/knowledge/text/stems.ts';
import { foundPassage } from '../answer/search.ts';

/** The check of a model's citations: sentences that passages do and do not support, through the filter of a streamed answer. */

/** A file of cases: passages, with sentences by kind that cite them. */
interface CitedPassage {
  id: string;
  title: string;
  source: string;
  text: string;
  faithful: Record<string, string[]>;
  unfaithful: Record<string, string[]>;
}

interface Kind {
  kind: string;
  sentences: number;
  /** Sentences that keep their marker. */
  kept: number;
  dropped: number;
}

interface Result {
  set: string;
  /** Shares from 0 to 1. */
  faithful_kept: number;
  unfaithful_dropped: number;
  /** Microseconds of CPU for a sentence with its marker, passages read. */
  sentence_us: number;
  faithful: Kind[];
  unfaithful: Kind[];
}

const SETS = ['', 'sites-', 'names-'].flatMap((of) =>
  ['tune', 'held-out'].map((name) => `test/bench/citations/${of}${name}.json`),
);
/** Passages given beside the one that is cited. */
const OTHERS = 2;
const TIMED_ROUNDS = 20;

/** `[FILE.json …] [--wrong]`: what is kept and dropped by kind; with `--wrong`, the sentences judged wrongly on standard error. */
export async function bench(args: string[]): Promise<Record<string, unknown>> {
  const files = args.filter((arg) => !arg.startsWith('-'));
  await loadStems();
  const results = (files.length > 0 ? files : SETS).map((file) => measure(file, args.includes('--wrong')));
  if (results.length === 1) return { ...results[0]! };
  return Object.fromEntries(
    results.flatMap(({ set, faithful, unfaithful, ...sums }) => [
      [set, [sums]],
      [`${set}: faithful`, faithful],
      [`${set}: unfaithful`, unfaithful],
    ]),
  );
}

/** As ingesting a page in German, French or Spanish does. */
export const loadStems = (): Promise<void> => stemsFor('Das ist nicht die Seite, die wir für Sie haben.');

/** What the sentences of a file come to, by kind. */
export function judge(file: string, tellsWrong = false): Pick<Result, 'faithful' | 'unfaithful'> {
  const passages = JSON.parse(readFileSync(file, 'utf8')) as CitedPassage[];
  const found = passages.map(({ id, title, text }) =>
    foundPassage({ uuid: id, title, file_name: `https://site.test/${id}`, type: 'link' }, text),
  );
  const givenFor = (at: number): Found[] =>
    Array.from({ length: OTHERS + 1 }, (_, n) => found[(at + n) % found.length]!);
  const verdicts = (of: 'faithful' | 'unfaithful'): Kind[] => {
    const kinds = new Map<string, Kind>();
    for (const [at, passage] of passages.entries())
      for (const [kind, sentences] of Object.entries(passage[of]))
        for (const sentence of sentences) {
          const row = kinds.get(kind) ?? { kind, sentences: 0, kept: 0, dropped: 0 };
          const kept = keepsMarker(sentence, givenFor(at));
          row.sentences += 1;
          row[kept ? 'kept' : 'dropped'] += 1;
          kinds.set(kind, row);
          if (tellsWrong && kept !== (of === 'faithful')) console.error(`${of} ${kind} (${passage.id}): ${sentence}`);
        }
    return [...kinds.values()];
  };
  return { faithful: verdicts('faithful'), unfaithful: verdicts('unfaithful') };
}

/** The share of all sentences. */
export const shareOf = (rows: Kind[], one: 'kept' | 'dropped'): number => sumOf(rows, one) / sumOf(rows, 'sentences');

const sumOf = (rows: Kind[], one: 'sentences' | 'kept' | 'dropped'): number =>
  rows.reduce((sum, row) => sum + row[one], 0);

function measure(file: string, tellsWrong: boolean): Result {
  const { faithful, unfaithful } = judge(file, tellsWrong);
  const start = process.cpuUsage();
  for (let round = 0; round < TIMED_ROUNDS; round++) judge(file);
  const { user } = process.cpuUsage(start);
  const sentences = sumOf([...faithful, ...unfaithful], 'sentences');
  return {
    set: basename(file, '.json'),
    faithful_kept: shareOf(faithful, 'kept'),
    unfaithful_dropped: shareOf(unfaithful, 'dropped'),
    sentence_us: Math.round(user / (TIMED_ROUNDS * sentences)),
    faithful,
    unfaithful,
  };
}

/** Whether the marker behind a sentence of an answer that cites the first passage passes the filter. */
function keepsMarker(sentence: string, given: Found[]): boolean {
  const run = new Run({ uuid: 'm', query: '' } as StoredMessage);
  const markers = createMarkerFilter(given, '', run);
  run.append(markers.pass(`${sentence} [1]`));
  run.append(markers.rest());
  return Object.keys(markers.citations()).length > 0;
}
