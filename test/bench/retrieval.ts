import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { quote, sureness } from '../../server/answer/quote.ts';
import type { Found } from '../../server/knowledge/knowledge.ts';
import { PassageIndex } from '../../server/knowledge/passage-index.ts';
import { sharedData } from '../shared.ts';

/** Search and quoting, measured through the code the server runs, on files as `../shared/data/README.md` describes. */

interface Data {
  docs: Doc[];
  queries: Query[];
  qrels: Record<string, Record<string, number>>;
}
interface Doc {
  id: string;
  title: string;
  text: string;
}
interface Query {
  id: string;
  text: string;
  answers?: string[];
  impossible?: boolean;
}

/** A row of the table; shares from 0 to 1. */
export interface Row {
  dataset: string;
  ndcg10: number;
  recall5: number;
  mrr10: number;
  hit1: number;
  answer1?: number;
  answer3?: number;
  refused95?: number;
  auc?: number;
}

const DEFAULT = ['squad1-a', 'nfcorpus', 'xquad-en'];
const PASSAGES = 8;

/** `[FILE.json.gz …] [--remove-gold]`, flags anywhere; a row a file. */
export function bench(args: string[]): Row[] {
  const given = args.filter((arg) => !arg.startsWith('--'));
  const files = given.length ? given : DEFAULT.flatMap((name) => sharedData(`${name}.json.gz`) ?? []);
  return files.map((file) => {
    console.error(`retrieval: ${file}`);
    return measure(basename(file).replace(/\..*$/, ''), load(file), args.includes('--remove-gold'));
  });
}

const load = (file: string): Data => JSON.parse(gunzipSync(readFileSync(file)).toString());

function measure(dataset: string, data: Data, removeGold: boolean): Row {
  const index = indexOf(data.docs);
  const answerable = data.queries.filter((query) => !query.impossible);
  const ranks = answerable.map((query) => ranked(index, query.text, 10).map((id) => data.qrels[query.id]?.[id] ?? 0));
  const ideals = answerable.map((query) => Object.values(data.qrels[query.id] ?? {}).filter((grade) => grade > 0));
  const row: Row = {
    dataset,
    ndcg10: mean(ranks.map((grades, at) => dcg(grades) / (dcg(ideals[at]!.sort((a, b) => b - a).slice(0, 10)) || 1))),
    recall5: mean(ranks.map((grades, at) => relevant(grades.slice(0, 5)) / (ideals[at]!.length || 1))),
    mrr10: mean(ranks.map((grades) => 1 / (grades.findIndex((grade) => grade > 0) + 1 || Infinity))),
    hit1: mean(ranks.map((grades) => Number((grades[0] ?? 0) > 0))),
  };
  return { ...row, ...answers(index, answerable), ...refusals(index, data, answerable, removeGold) };
}

function indexOf(docs: Doc[]): PassageIndex<string> {
  const index = new PassageIndex<string>();
  for (const doc of docs) put(index, doc);
  return index;
}

function put(index: PassageIndex<string>, { id, title, text }: Doc): void {
  index.put(id, id, { title, text, passages: [{ headings: [], start: 0, end: text.length }] });
}

/** A document ranks by its best passage. */
function ranked(index: PassageIndex<string>, text: string, limit: number): string[] {
  const hits = index.search(index.question(text), limit * 3);
  return [...new Set(hits.map((hit) => hit.entry.source))].slice(0, limit);
}

function find(index: PassageIndex<string>, text: string): Found[] {
  const question = index.question(text);
  return index.search(question, PASSAGES).map((hit) => ({
    source: { uuid: hit.entry.source, title: '', file_name: '', type: 'link' },
    headings: hit.entry.headings,
    text: hit.entry.text,
    score: hit.score,
    match: index.match(hit, question),
  }));
}

function answers(index: PassageIndex<string>, queries: Query[]): Pick<Row, 'answer1' | 'answer3'> {
  const asked = queries.filter((query) => query.answers?.length);
  if (asked.length === 0) return {};
  const firsts = asked.map(({ text, answers }) => {
    const shown = [...quote(text, find(index, text), { least: 0 })];
    return shown.findIndex((sentence) => answers!.some((answer) => sentence.text.includes(answer)));
  });
  return {
    answer1: mean(firsts.map((first) => Number(first === 0))),
    answer3: mean(firsts.map((first) => Number(first >= 0 && first < 3))),
  };
}

/** How surely each answerable question is answered, against those that the passages do not answer. */
function refusals(
  index: PassageIndex<string>,
  data: Data,
  answerable: Query[],
  removeGold: boolean,
): Pick<Row, 'refused95' | 'auc'> {
  const impossible = data.queries.filter((query) => query.impossible);
  if (!removeGold && impossible.length === 0) return {};
  const sure = ({ text }: Query) => sureness(text, find(index, text));
  const kept = answerable.map(sure).sort((a, b) => a - b);
  const absent = removeGold ? withoutArticle(index, data, answerable, sure) : impossible.map(sure);
  const least = kept[Math.floor(kept.length * 0.05)]!;
  return { refused95: mean(absent.map((value) => Number(value < least))), auc: areaUnder(kept, absent) };
}

/** Each question asked while every article that answers it is out of the index, whole. */
function withoutArticle(
  index: PassageIndex<string>,
  data: Data,
  queries: Query[],
  sure: (query: Query) => number,
): number[] {
  const articles = groupBy(data.docs, articleOf);
  const articleById = new Map(data.docs.map((doc) => [doc.id, articleOf(doc)]));
  const goldOf = ({ id }: Query) => {
    const gold = Object.entries(data.qrels[id] ?? {}).filter(([, grade]) => grade > 0);
    return [...new Set(gold.map(([doc]) => articleById.get(doc)))].sort().join('\n');
  };
  return [...groupBy(queries, goldOf)].flatMap(([gold, asked]) => {
    const docs = gold.split('\n').flatMap((article) => articles.get(article) ?? []);
    for (const doc of docs) index.remove(doc.id);
    const values = asked.map(sure);
    for (const doc of docs) put(index, doc);
    return values;
  });
}

const articleOf = ({ id, title }: Doc): string => title || id.replace(/#\d+$/, '');

/** The chance that an answerable question is surer than one that is not. `kept` is sorted. */
function areaUnder(kept: number[], absent: number[]): number {
  const others = [...absent].sort((a, b) => a - b);
  let below = 0;
  let pairs = 0;
  for (const value of kept) {
    while (below < others.length && others[below]! < value) below++;
    pairs += below;
  }
  return pairs / (kept.length * others.length);
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
const relevant = (grades: number[]): number => grades.filter((grade) => grade > 0).length;
const dcg = (grades: number[]): number => grades.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
