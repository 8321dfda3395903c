import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { confidence, selectAnswer, selectQuotes } from '../../server/answer/extract/select.ts';
import { minConfidence } from '../../server/answer/extract/threshold.ts';
import type { SearchResult } from '../../server/knowledge/search/found.ts';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { stemsFor } from '../../server/knowledge/text/stems.ts';
import { sharedData } from '../shared.ts';

/** Search and quoting, measured through the code the server runs, on files as `../shared/data/README.md` describes. */

interface Data {
  dataset: string;
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
  /** Of the questions with answers: told surely; and of those told surely, or as unsure, the share that is right. */
  sure?: number;
  sure_right?: number;
  unsure_right?: number;
  /** Of all questions with answers: mean words of what is told, and the share that is told an answer. */
  words?: number;
  told_right?: number;
  /** Of the questions that the passages do not answer: told surely. */
  absent_sure?: number;
  /** nDCG@10 lost when each question has one typo. */
  typo_loss?: number;
  /** Of the questions that are answered right as they are, the share that still is in a wrapping, by wrapping. */
  [kept: `kept_${string}`]: number;
  /** Of questions whose article is not there, the share that is refused, as they are and by wrapping. */
  [refused: `refused_${string}`]: number;
}

const DEFAULT = ['squad1-a', 'nfcorpus', 'xquad-en'];
const PASSAGES = 8;

/** `[FILE.json.gz …] [--remove-gold] [--typos] [--wrapped]`, flags anywhere; a row a file. */
export async function bench(args: string[]): Promise<Row[]> {
  const given = args.filter((arg) => !arg.startsWith('--'));
  const files = given.length ? given : DEFAULT.flatMap((name) => sharedData(`${name}.json.gz`) ?? []);
  const rows: Row[] = [];
  for (const file of files) {
    console.error(`retrieval: ${file}`);
    const data = load(file);
    for (const { text } of data.docs) await stemsFor(text);
    rows.push(measure(data, new Set(args)));
  }
  return rows;
}

const load = (file: string): Data => ({
  ...(JSON.parse(gunzipSync(readFileSync(file)).toString()) as Omit<Data, 'dataset'>),
  dataset: basename(file).replace(/\..*$/, ''),
});

function measure(data: Data, flags: Set<string>): Row {
  const index = indexOf(data.docs);
  const answerable = data.queries.filter((query) => !query.impossible);
  const ideals = new Map(answerable.map(({ id }) => [id, relevantOf(data, id).sort((a, b) => b - a)]));
  const ranks = answerable.map((query) => graded(index, data, query));
  const row: Row = {
    dataset: data.dataset,
    ndcg10: mean(ranks.map((one) => ndcg(one, ideals))),
    recall5: mean(ranks.map(({ id, grades }) => relevant(grades.slice(0, 5)) / (ideals.get(id)!.length || 1))),
    mrr10: mean(ranks.map(({ grades }) => 1 / (grades.findIndex((grade) => grade > 0) + 1 || Infinity))),
    hit1: mean(ranks.map(({ grades }) => Number((grades[0] ?? 0) > 0))),
  };
  if (flags.has('--typos')) {
    const mistyped = answerable.map((query, at) => ({ ...query, text: withTypo(query.text, at) }));
    row.typo_loss = row.ndcg10 - mean(mistyped.map((query) => ndcg(graded(index, data, query), ideals)));
  }
  if (flags.has('--wrapped')) Object.assign(row, wrapped(index, data, answerable));
  return { ...row, ...answers(index, answerable), ...refusals(index, data, answerable, flags.has('--remove-gold')) };
}

interface Graded {
  id: string;
  /** Of the first ten documents, best first. */
  grades: number[];
}

function graded(index: PassageIndex<string>, data: Data, { id, text }: Query): Graded {
  return { id, grades: ranked(index, text, 10).map((doc) => data.qrels[id]?.[doc] ?? 0) };
}

const relevantOf = (data: Data, query: string): number[] =>
  Object.values(data.qrels[query] ?? {}).filter((grade) => grade > 0);

const ndcg = ({ id, grades }: Graded, ideals: Map<string, number[]>): number =>
  dcg(grades) / (dcg(ideals.get(id)!.slice(0, 10)) || 1);

/** One word of five letters or more with two letters swapped, one left out, doubled or another; the same each time. */
function withTypo(text: string, seed: number): string {
  const words = [...text.matchAll(/\p{L}{5,}/gu)];
  if (words.length === 0) return text;
  let state = (seed + 1) * 2654435761;
  const random = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return (state >>> 8) % below;
  };
  const { 0: word, index } = words[random(words.length)]!;
  return text.slice(0, index) + mistype(word, random) + text.slice(index + word.length);
}

function mistype(word: string, random: (below: number) => number): string {
  const at = 1 + random(word.length - 2);
  const [a, b] = [word[at]!, word[at + 1]!];
  const other = word[random(word.length)]!.toLowerCase();
  return word.slice(0, at) + [b + a, b, a + a + b, other + b][random(4)] + word.slice(at + 2);
}

function indexOf(docs: Doc[]): PassageIndex<string> {
  const index = new PassageIndex<string>();
  for (const doc of docs) put(index, doc);
  return index;
}

function put(index: PassageIndex<string>, { id, title, text }: Doc): void {
  index.put(id, id, { title, text, passages: [{ headings: [], start: 0, end: text.length }] });
}

/** A document is one passage here. Asked for no more than needed, as the server does: what is asked for is read by sentences. */
const ranked = (index: PassageIndex<string>, text: string, limit: number): string[] =>
  index.search(index.query(text), limit).map((hit) => hit.entry.source);

function search(index: PassageIndex<string>, text: string): SearchResult {
  const query = index.query(text);
  const found = index.search(query, PASSAGES).map((hit) => ({
    source: { uuid: hit.entry.source, title: '', file_name: '', type: 'link' },
    pageTitle: '',
    headings: hit.entry.headings,
    text: hit.entry.text,
    score: hit.score,
    match: index.match(hit, query),
    entry: hit.entry,
  }));
  return { query, found };
}

interface Told {
  certainty: 'sure' | 'unsure' | 'none';
  right: boolean;
  words: number;
}

/** What a visitor is told without a model. */
function told(index: PassageIndex<string>, { text, answers = [] }: Query): Told {
  const { query, found } = search(index, text);
  const { pieces, isUnsure } = selectAnswer(query, found);
  const answer = pieces.map((piece) => piece.text).join(' ');
  return {
    certainty: pieces.length === 0 ? 'none' : isUnsure ? 'unsure' : 'sure',
    right: answers.some((one) => answer.includes(one)),
    words: answer === '' ? 0 : answer.split(/\s+/).length,
  };
}

const isSure = ({ certainty }: Told): boolean => certainty === 'sure';

type Certainties = 'sure' | 'sure_right' | 'unsure_right' | 'words' | 'told_right';

function certainties(index: PassageIndex<string>, asked: Query[]): Pick<Row, Certainties> {
  const all = asked.map((query) => told(index, query));
  const right = (some: Told[]): number => mean(some.map((one) => Number(one.right)));
  return {
    sure: mean(all.map((one) => Number(isSure(one)))),
    sure_right: right(all.filter(isSure)),
    unsure_right: right(all.filter(({ certainty }) => certainty === 'unsure')),
    words: mean(all.map(({ words }) => words)),
    told_right: right(all),
  };
}

function answers(index: PassageIndex<string>, queries: Query[]): Pick<Row, 'answer1' | 'answer3' | Certainties> {
  const asked = queries.filter((query) => query.answers?.length);
  if (asked.length === 0) return {};
  const firsts = asked.map(({ text, answers }) => {
    const { query, found } = search(index, text);
    const shown = [...selectQuotes(query, found, { threshold: 0 })];
    return shown.findIndex((sentence) => answers!.some((answer) => sentence.text.includes(answer)));
  });
  return {
    answer1: mean(firsts.map((first) => Number(first === 0))),
    answer3: mean(firsts.map((first) => Number(first >= 0 && first < 3))),
    ...certainties(index, asked),
  };
}

type Wrap = (question: string) => string;

/** As people write to a shop: politely, as a mail, and with what happened first. */
const WRAPPINGS: Record<string, Record<string, Wrap>> = {
  en: {
    polite: (question) => `Hello, I hope you are well. ${question} Thanks a lot in advance! Kind regards`,
    mail: (question) => `Dear support team,\n\n${question}\n\nBest regards,\nMaria Hofstätter\n12 Elm Street`,
    story: (question) =>
      `My sister told me about this last weekend and we argued for an hour. So now I am curious. ${question}`,
    unmarked: (question) => `Good morning! ${question.replace(/\s*[?]$/, '')}. Many thanks and have a lovely day.`,
  },
  de: {
    polite: (question) =>
      `Guten Tag, ich hoffe, es geht Ihnen gut. ${question} Vielen Dank im Voraus! Freundliche Grüße`,
    mail: (question) => `Sehr geehrte Damen und Herren,\n\n${question}\n\nMit freundlichen Grüßen\nMaria Hofstätter`,
    story: (question) => `Meine Schwester hat mir am Wochenende davon erzählt und wir haben gestritten. ${question}`,
  },
  es: {
    polite: (question) => `Hola, espero que estén bien. ${question} ¡Muchas gracias de antemano! Un cordial saludo`,
    mail: (question) => `Estimado equipo:\n\n${question}\n\nSaludos cordiales,\nMaría Hofstätter`,
    story: (question) => `Mi hermana me habló de esto el fin de semana y discutimos una hora. ${question}`,
  },
  ar: {
    polite: (question) => `مرحبا، أتمنى أن تكونوا بخير. ${question} شكرا جزيلا لكم مقدما! مع أطيب التحيات`,
    mail: (question) => `السادة فريق الدعم،\n\n${question}\n\nمع أطيب التحيات\nمريم`,
    story: (question) => `حدثتني أختي عن هذا في عطلة نهاية الأسبوع وتجادلنا ساعة كاملة. ${question}`,
  },
  zh: {
    polite: (question) => `您好，希望您一切顺利。${question}非常感谢您的帮助！祝好`,
    mail: (question) => `尊敬的客服团队：\n\n${question}\n\n此致敬礼\n王小明`,
    story: (question) => `我姐姐上周末跟我说起这件事，我们争论了一个小时。${question}`,
  },
  th: {
    mail: (question) => `เรียน ทีมงาน\n\n${question}\n\nขอแสดงความนับถือ\nสมชาย`,
  },
};

function wrapped(index: PassageIndex<string>, data: Data, answerable: Query[]): Partial<Row> {
  const wraps = WRAPPINGS[/xquad-(\w\w)/.exec(data.dataset)?.[1] ?? 'en'] ?? {};
  const asked = answerable.filter(({ answers }) => answers?.length);
  const right = ({ answers }: Query, text: string) => {
    const { query, found } = search(index, text);
    return [...selectQuotes(query, found)].some((sentence) => answers!.some((one) => sentence.text.includes(one)));
  };
  const plain = asked.filter((query) => right(query, query.text));
  const isRefused = (text: string) => {
    const { query, found } = search(index, text);
    return Number(confidence(query, found) < minConfidence(query, found));
  };
  const row: Partial<Row> = {};
  for (const [name, wrap] of Object.entries(wraps)) {
    row[`kept_${name}`] = mean(plain.map((query) => Number(right(query, wrap(query.text)))));
  }
  const all: [string, Wrap][] = [['plain', (question) => question], ...Object.entries(wraps)];
  const refused = withoutArticle(index, data, asked, ({ text }) => all.map(([, wrap]) => isRefused(wrap(text))));
  for (const [at, [name]] of all.entries()) row[`refused_${name}`] = mean(refused.map((values) => values[at]!));
  return row;
}

/** How surely each answerable question is answered, against those that the passages do not answer. */
function refusals(
  index: PassageIndex<string>,
  data: Data,
  answerable: Query[],
  removeGold: boolean,
): Pick<Row, 'refused95' | 'auc' | 'absent_sure'> {
  const impossible = data.queries.filter((query) => query.impossible);
  if (!removeGold && impossible.length === 0) return {};
  const sure = ({ text }: Query) => {
    const { query, found } = search(index, text);
    return confidence(query, found);
  };
  const kept = answerable.map(sure).sort((a, b) => a - b);
  const both = (query: Query) => ({ value: sure(query), isSure: isSure(told(index, query)) });
  const asked = removeGold ? withoutArticle(index, data, answerable, both) : impossible.map(both);
  const absent = asked.map(({ value }) => value);
  const least = kept[Math.floor(kept.length * 0.05)]!;
  return {
    refused95: mean(absent.map((value) => Number(value < least))),
    auc: areaUnder(kept, absent),
    absent_sure: mean(asked.map((one) => Number(one.isSure))),
  };
}

/** Each question asked while every article that answers it is out of the index, whole. */
function withoutArticle<T>(index: PassageIndex<string>, data: Data, queries: Query[], ask: (query: Query) => T): T[] {
  const articles = groupBy(data.docs, articleOf);
  const articleById = new Map(data.docs.map((doc) => [doc.id, articleOf(doc)]));
  const goldOf = ({ id }: Query) => {
    const gold = Object.entries(data.qrels[id] ?? {}).filter(([, grade]) => grade > 0);
    return [...new Set(gold.map(([doc]) => articleById.get(doc)))].sort().join('\n');
  };
  return [...groupBy(queries, goldOf)].flatMap(([gold, asked]) => {
    const docs = gold.split('\n').flatMap((article) => articles.get(article) ?? []);
    for (const doc of docs) index.remove(doc.id);
    const values = asked.map(ask);
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
