import { setTimeout as wait } from 'node:timers/promises';
import type { Client, CrawlBounds } from '../control/client.ts';
import { NoServer } from '../control/socket.ts';
import type { IngestJob } from '../control/ingest-jobs.ts';
import { EXIT_INTERRUPTED, sanitizeText, type Command, type CommandOptions, type Terminal } from './command.ts';
import { progressBar, progressLine, clearBar } from './progress.ts';

const POLL_MS = 200;
/** Between two lines of progress where standard output is no terminal. */
const LINE_MS = 5000;
/** Of failures, and of dead links. */
const MAX_LISTED = 20;
const MAX_PAGES = 2000;

export const CRAWL_OPTIONS = {
  'max-pages': { type: 'string' },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
} as const;

export const CRAWL_HELP = `With --site may go --max-pages N (200; 2,000 at most), and --include P and --exclude P as often as needed: the beginning
of a path, or a pattern in which * is anything. Ctrl-C stops it, and what is learned stays.
`;

export const learnCommand: Command = {
  synopsis: 'CHATBOT URL [--site]',
  summary: 'teach a chatbot a page, or the whole site it belongs to',
  details: CRAWL_HELP,
  minWords: 2,
  maxWords: 2,
  options: { site: { type: 'boolean' }, ...CRAWL_OPTIONS },
  act: (client, [chatbot = '', url = ''], options, terminal) =>
    learn(client, { chatbot, url, bounds: boundsOf(options) }, terminal),
};

/** Teaches, shows how it goes, and resolves with the exit code. */
export async function learn(
  client: Client,
  { chatbot, url, bounds }: { chatbot: string; url: string; bounds: CrawlBounds | undefined },
  terminal: Terminal,
): Promise<number> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const first = await client.ingest(chatbot, url, bounds);
  const { job, interrupted } = await watch(client, first, terminal, seconds);
  return report(job, interrupted, terminal, seconds());
}

/** Undefined for a page alone. */
export function boundsOf(options: CommandOptions): CrawlBounds | undefined {
  const { site, 'max-pages': most, include, exclude } = options;
  if (!site && (most ?? include ?? exclude)) throw new Error('--max-pages, --include and --exclude go with --site');
  if (most !== undefined && !(/^\d+$/.test(most) && +most >= 1 && +most <= MAX_PAGES))
    throw new Error(`--max-pages must be a whole number, 1 to ${MAX_PAGES}`);
  return site ? { max_pages: most === undefined ? most : Number(most), include, exclude } : undefined;
}

/** Shows how it goes until it has ended; the first Ctrl-C ends it. */
async function watch(client: Client, first: IngestJob, terminal: Terminal, seconds: () => number) {
  const stop = new AbortController();
  const ignore = terminal.onInterrupt?.(() => stop.abort());
  const show = progressPrinter(terminal, seconds);
  let job = first;
  try {
    while (job.status === 'running') {
      show(job);
      await wait(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
      const { aborted } = stop.signal;
      job = await (aborted ? client.stopJob(job.uuid) : client.job(job.uuid));
      if (aborted) break;
    }
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    throw new Error(
      'the server has ended; it goes on with this when it starts again, or another server on the same database does at once',
      { cause: error },
    );
  } finally {
    ignore?.();
    if (terminal.columns?.() !== undefined) terminal.out(clearBar);
  }
  return { job, interrupted: stop.signal.aborted };
}

function progressPrinter({ out, columns }: Terminal, seconds: () => number): (job: IngestJob) => void {
  let lines = 0;
  return (job) => {
    const width = columns?.();
    if (width !== undefined) out(progressBar(job, seconds(), width));
    else if (seconds() * 1000 > (lines + 1) * LINE_MS) {
      lines = Math.floor((seconds() * 1000) / LINE_MS);
      out(progressLine(job, seconds()));
    }
  };
}

function report(job: IngestJob, interrupted: boolean, { out, err }: Terminal, seconds: number): number {
  const { status, done, failed, failures } = job;
  const pages = (count: number): string => `${count} ${count === 1 ? 'page' : 'pages'}`;
  out(`learned ${pages(done)} in ${seconds.toFixed(1)} s${interrupted ? ', and stopped' : ''}\n`);
  if (failed > 0) err(`${pages(failed)} failed:\n`);
  err(
    failures
      .slice(0, MAX_LISTED)
      .map(({ url, reason }) => `  ${sanitizeText(url)}  ${reason}\n`)
      .join(''),
  );
  if (failed > MAX_LISTED) err(`  and ${failed - MAX_LISTED} more\n`);
  err(deadLinksOf(job));
  if (job.full) err('the site has more: --max-pages is how many it takes\n');
  if (status === 'running') err('the server that has the folder learns it to its end, or the next one does\n');
  if (interrupted) return EXIT_INTERRUPTED;
  return status === 'done' && done > 0 && job.lost * 10 <= job.found ? 0 : 1;
}

/** 404 stands for 410, too. */
function deadLinksOf({ deadLinks, deadLinksTotal }: IngestJob): string {
  if (deadLinksTotal === 0) return '';
  const links = deadLinks.slice(0, MAX_LISTED);
  const lines = links.map(
    ({ url, found_on }) => `  404 ${sanitizeText(url)}${found_on && `, linked from ${sanitizeText(found_on)}`}\n`,
  );
  const more = deadLinksTotal > links.length ? `  and ${deadLinksTotal - links.length} more\n` : '';
  return `${deadLinksTotal} dead ${deadLinksTotal === 1 ? 'link' : 'links'}:\n${lines.join('')}${more}`;
}
