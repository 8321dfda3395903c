import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Citations, VisitorMessage } from '../../server/types.ts';
import { startProcess, type ChildServer } from './server/processes.ts';
import { ENV, MAIN } from './server/targets.ts';
import { wrap, WRAPPINGS } from './visitors/wrappings.ts';

/** What the visitors of a site are told, over HTTP: a folder of pages is served, learned and asked. */

interface Asked {
  id?: string;
  text: string;
  /** Any of these in an answer makes it right. None: the site does not tell. */
  gold?: string[];
  /** All of these have to be in it, too. */
  all?: string[];
}

/** Shares from 0 to 1: of the questions that the site answers, but `unknown_refused`. */
interface Told {
  asked: string;
  /** `outcome` is `answered`, and the fact is in the answer. */
  right: number;
  /** `outcome` is `unsure`, and the fact is in the answer. */
  unsure_right: number;
  /** `outcome` is `answered`, and the fact is not in the answer. */
  wrong: number;
  unsure_wrong: number;
  refused: number;
  /** Of the questions that the site does not answer: those not told as `answered`. */
  unknown_refused: number;
  /** Mean of the answers that were given. */
  words: number;
  /** The fact is in the first 300 characters. */
  first300: number;
}

interface Reading {
  question: string;
  outcome: string;
  right: boolean;
  unknown: boolean;
  words: number;
  isFirst: boolean;
  answer: string;
  cited: string;
}

/** The rules of answering are tuned on `pool`, and never on the others. */
const SITES = ['shop', 'office', 'pool'];
const MAX_PAGES = 2000;
const FIRST = 300;
/** Questions of one visitor, below the rate limit. */
const QUESTIONS_PER_VISITOR = 50;

/**
 * `[SITE_FOLDER QUESTIONS.json] [--plain] [--answers]`: the site and the questions of one file, or those of this repository.
 * The file is a list of questions, or has one as `questions`. Each is asked as it is and in every wrapping; `--plain` leaves the
 * wrappings out, which are English: the site `visitors/bikes` is in German. `--answers` lists what was answered to each plain question.
 */
export async function bench(args: string[]): Promise<unknown> {
  const given = args.filter((arg) => !arg.startsWith('--'));
  const [folder, file] = given;
  const options = { isPlain: args.includes('--plain'), withAnswers: args.includes('--answers') };
  if (folder !== undefined && file !== undefined) return measure(folder, file, options);
  if (folder !== undefined)
    throw new Error('visitors: give the folder of a site and the file of its questions, or neither');
  const results: Record<string, unknown> = {};
  for (const site of SITES) {
    const at = join('test', 'bench', 'visitors', site);
    results[site] = await measure(join(at, 'pages'), join(at, 'questions.json'), options);
  }
  return options.withAnswers ? results : SITES.flatMap((site) => rowsOf(site, results[site]));
}

const rowsOf = (site: string, result: unknown): object[] =>
  Object.values(result as Record<string, Told>).map((told) => ({ site, ...told }));

interface Options {
  isPlain: boolean;
  withAnswers: boolean;
}

async function measure(folder: string, file: string, { isPlain, withAnswers }: Options): Promise<object> {
  const questions = questionsOf(file);
  const dir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const site = await startProcess([join('test', 'bench', 'site', 'static.mjs'), folder, '--sitemap']);
  const base = `http://127.0.0.1:${site.port}/`;
  const server = await startProcess([MAIN], { ...ENV, DATA_DIR: dir, FETCH_ALLOW: `127.0.0.1:${site.port}` });
  try {
    const ask = await learn(server, base);
    const plain = await readAll(questions, (text) => text, ask);
    const wrapped: Told[] = [];
    if (!isPlain) {
      for (const wrapping of WRAPPINGS) {
        const readings = await readAll(questions, (text) => wrap(text, wrapping), ask);
        wrapped.push(told(wrapping.id, readings));
      }
    }
    return {
      plain: told('plain', plain),
      ...(isPlain ? {} : { wrapped: mean('wrapped', wrapped) }),
      ...Object.fromEntries(wrapped.map((one) => [one.asked, one])),
      ...(withAnswers ? { answers: plain } : {}),
    };
  } finally {
    await Promise.all([server.end(), site.end()]);
    await rm(dir, { recursive: true, force: true });
  }
}

function questionsOf(file: string): Asked[] {
  if (!existsSync(file)) throw new Error(`visitors: there is no file ${file}`);
  const data = JSON.parse(readFileSync(file, 'utf8')) as Asked[] | { questions: Asked[] };
  return Array.isArray(data) ? data : data.questions;
}

type Ask = (query: string) => Promise<VisitorMessage>;

/** Learns the pages of the site's sitemap; what it returns asks about them, as ever new visitors. */
async function learn(server: ChildServer, base: string): Promise<Ask> {
  const api = `http://127.0.0.1:${server.port}`;
  const settings = { name: 'Visitors', visibility: 'public', show_citations: true, rate_limit: [100, 360] };
  const { uuid } = await call<{ uuid: string }>(api, 'POST', '/api/v1/chatbot/create', settings);
  const path = `/api/v1/chatbot/${uuid}/data-source/site`;
  let site = await call<{ uuid: string; status: string; done: number }>(api, 'POST', path, {
    url: base,
    max_pages: MAX_PAGES,
  });
  while (site.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    site = await call(api, 'GET', `${path}/${site.uuid}`);
  }
  if (site.status !== 'done') throw new Error(`the site was not learned: ${JSON.stringify(site)}`);
  console.error(`visitors: ${site.done} pages learned`);
  let asked = 0;
  return async (query) => {
    const visitor = Math.floor(asked++ / QUESTIONS_PER_VISITOR);
    const reply = await fetch(`${api}/chat/${uuid}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${visitor >> 8}.${visitor & 255}` },
      body: JSON.stringify({ query }),
    });
    const text = await reply.text();
    const last = /^event: done\ndata: (.*)$/m.exec(text)?.[1];
    if (last === undefined) throw new Error(`no answer: ${reply.status} ${text}`);
    return JSON.parse(last) as VisitorMessage;
  };
}

async function readAll(questions: Asked[], wording: (text: string) => string, ask: Ask): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const question of questions) readings.push(read(question, await ask(wording(question.text))));
  return readings;
}

function read({ text, gold = [], all = [] }: Asked, { response, outcome, cite_data_json }: VisitorMessage): Reading {
  const answer = plainText(response);
  const holds = (part: string): boolean => {
    const facts = gold.map(plainText);
    return (
      (facts.length === 0 || facts.some((fact) => part.includes(fact))) &&
      all.map(plainText).every((fact) => part.includes(fact))
    );
  };
  const cited = Object.values(JSON.parse(cite_data_json) as Citations).map(({ file_name }) => file_name);
  return {
    question: text,
    outcome: outcome ?? 'none',
    right: holds(answer),
    unknown: gold.length === 0 && all.length === 0,
    words: answer.split(' ').length,
    isFirst: holds(answer.slice(0, FIRST)),
    answer: response,
    cited: [...new Set(cited)].join(' '),
  };
}

/** Without markers and marks of Markdown, spaces joined, in lower case. */
const plainText = (text: string): string =>
  text
    .replace(/ ?\[\d+(?:\.\d+)?\]/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`|>#]+/g, ' ')
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

function told(asked: string, readings: Reading[]): Told {
  const known = readings.filter(({ unknown }) => !unknown);
  const unknown = readings.filter((one) => one.unknown);
  const given = readings.filter(({ outcome }) => outcome !== 'unknown');
  const share = (list: Reading[], holds: (one: Reading) => boolean): number =>
    list.length === 0 ? 0 : list.filter(holds).length / list.length;
  const ended = (outcome: string, right: boolean) => (one: Reading) => one.outcome === outcome && one.right === right;
  return {
    asked,
    right: share(known, ended('answered', true)),
    unsure_right: share(known, ended('unsure', true)),
    wrong: share(known, ended('answered', false)),
    unsure_wrong: share(known, ended('unsure', false)),
    refused: share(known, ({ outcome }) => outcome === 'unknown'),
    unknown_refused: share(unknown, ({ outcome }) => outcome !== 'answered'),
    words: given.reduce((sum, { words }) => sum + words, 0) / Math.max(1, given.length),
    first300: share(known, ({ isFirst, outcome }) => isFirst && outcome !== 'unknown'),
  };
}

function mean(asked: string, rows: Told[]): Told {
  const of = (key: Exclude<keyof Told, 'asked'>): number => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
  return {
    asked,
    right: of('right'),
    unsure_right: of('unsure_right'),
    wrong: of('wrong'),
    unsure_wrong: of('unsure_wrong'),
    refused: of('refused'),
    unknown_refused: of('unknown_refused'),
    words: of('words'),
    first300: of('first300'),
  };
}

async function call<T>(api: string, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${ENV.API_KEY}`, 'content-type': 'application/json' };
  const reply = await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
