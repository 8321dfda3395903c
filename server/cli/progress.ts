import type { IngestJob } from '../control/ingest-jobs.ts';
import { sanitizeText } from './command.ts';

const CLEAR = '\r\u001b[K';
const BAR_CELLS = 20;

/** One line of a terminal, drawn over the last: how far it is, and with what is left of the width where it is. */
export function progressBar(job: IngestJob, seconds: number, columns: number): string {
  const { found, done, failed, current } = job;
  const filled = Math.min(BAR_CELLS, Math.floor((BAR_CELLS * (done + failed)) / Math.max(found, 1)));
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_CELLS - filled)}]`;
  const line = `${bar} ${done + failed}/${found}${failed > 0 ? `, ${failed} failed` : ''}, ${rateOf(job, seconds)}  `;
  // A terminal breaks the line where its last column is written to.
  return CLEAR + (line + shortened(current, columns - 1 - line.length)).slice(0, columns - 1);
}

export const clearBar = CLEAR;

/** The same as a line of a log. */
export function progressLine(job: IngestJob, seconds: number): string {
  const { found, done, failed, current } = job;
  return `${done + failed} of ${found} pages, ${failed} failed, ${rateOf(job, seconds)}${current && `: ${sanitizeText(current)}`}\n`;
}

const rateOf = ({ done, failed }: IngestJob, seconds: number): string =>
  `${((done + failed) / Math.max(seconds, 0.001)).toFixed(1)} pages/s`;

/** The end of an address tells pages of one site apart. */
function shortened(address: string, length: number): string {
  const shown = sanitizeText(address);
  if (shown.length <= length) return shown;
  return length < 8 ? '' : `…${shown.slice(1 - length)}`;
}
