import { setImmediate } from 'node:timers/promises';
import type { Block } from '../blocks.ts';
import type { Placed } from './placed.ts';
import type { PostPlace } from './posts.ts';
import { trailIn } from '../../text/boilerplate/trail.ts';
import { TimeSlice } from '../../../async/time-slice.ts';

/** Which elements a text is inside. */
export interface Region extends PostPlace {
  main: boolean;
  article: boolean;
  form: boolean;
  /** By class names and ids of the elements around it. */
  boilerplate: boolean;
}

type PlacedBlocks = Placed<Region>[];

/** Consecutive links that count as a menu or an index. */
const MIN_LINK_RUN = 3;
/** A part with a smaller share of the page's text is not its content. */
const MIN_PART_SHARE = 0.1;
const MIN_NAMED_SHARE = 0.03;
/** Labels of pictures and forms, which are not read. */
const LABEL = /^[^.!?]{1,40}:$/;
const CONTENTS = /^\W*(?:table of )?contents\W*$/i;
const MAX_HEADING_LENGTH = 120;
/** UTF-16 units of the text below a bold line with a colon from which that is a heading; before a shorter one it is a label. */
const MIN_BELOW_COLON = 24;
/** Blocks of a page from which on other work gets its turn between two passes over them. */
const MIN_BLOCKS_TO_PAUSE = 2000;
const NUMBERED = /^\W*\d{1,3}\b\W*/;
const TITLE = /^[^\d@:\n]*\p{L}[^\d@:\n]*(?<![.!…。！])$/u;
const MODIFIED = /^(?:this )?(?:page|article|document)?\s*(?:was )?last (?:modified|updated|edited|changed)\b.{0,60}$/i;

/** The content of the page: `main`, else its articles, else all but forms, else all. */
export async function contentOf(pageBlocks: PlacedBlocks, title: string): Promise<Block[]> {
  const pause = () => (pageBlocks.length > MIN_BLOCKS_TO_PAUSE ? setImmediate() : undefined);
  const named = pageBlocks.filter(({ place }) => !place.boilerplate);
  const all = share(named, pageBlocks) < MIN_NAMED_SHARE ? pageBlocks : named;
  await pause();
  const free = all.filter(({ place }) => !place.form);
  const main = free.filter(({ place }) => place.main);
  const articles = free.filter(({ place }) => place.article);
  await pause();
  const parts = [main, share(articles, free) > 0.5 ? articles : [], free];
  const chosen = parts.find((part) => lengthOf(part) > 0) ?? all;
  await pause();
  // Some content systems wrap the whole page in one form, or leave `main` nearly empty.
  const part = share(chosen, all) < MIN_PART_SHARE ? all : chosen;
  await pause();
  const told = withoutIndexes(part === main || part === articles ? part : withoutMenus(part));
  await pause();
  const kept = share(told, part) < MIN_PART_SHARE ? part : told;
  return contentBlocks(kept, title);
}

async function contentBlocks(kept: PlacedBlocks, title: string): Promise<Block[]> {
  const blocks: Block[] = [];
  const timeSlice = new TimeSlice();
  for (const [at, one] of kept.entries()) {
    blocks.push(isBoldHeading(one, kept[at + 1]) ? headingOf(one.block) : one.block);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  const telling: Block[] = [];
  const heading = blocks.findIndex(({ kind }) => kind === 'heading');
  const names = [title, blocks[heading]?.text ?? ''];
  for (const [at, block] of blocks.entries()) {
    const isTrail = at < Math.max(heading, 1) && leadsTo(names, block);
    if (!isTrail && isContent(block, at, blocks, title)) telling.push(block);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  return telling;
}

/** Drops links before the first heading (without one, before the first text), and `MIN_LINK_RUN` or more after the last text. */
function withoutMenus(part: PlacedBlocks): PlacedBlocks {
  const heading = part.findIndex(({ block }) => block.kind === 'heading');
  const begin = heading >= 0 ? heading : part.findIndex(({ linked }) => !linked);
  const end = part.findLastIndex(({ block, linked }) => block.kind === 'heading' || !linked);
  const after = part.length - 1 - end >= MIN_LINK_RUN && part[end]?.block.kind !== 'heading' ? end : part.length;
  return part.filter(({ linked }, at) => !linked || (at >= begin && at <= after));
}

/** Drops tables of contents: `MIN_LINK_RUN` or more consecutive links to the same page. */
function withoutIndexes(part: PlacedBlocks): PlacedBlocks {
  const kept: PlacedBlocks = [];
  let run: PlacedBlocks = [];
  const close = (): void => {
    if (run.length < MIN_LINK_RUN) kept.push(...run);
    run = [];
  };
  for (const one of part) {
    if (one.linked === 'page') run.push(one);
    else {
      close();
      kept.push(one);
    }
  }
  close();
  return kept;
}

function isContent({ kind, text }: Block, at: number, all: Block[], title: string): boolean {
  if (kind !== 'text' || all.length === 1) return true;
  if (text === title && at === 0) return false;
  if (CONTENTS.test(text) || (at >= all.length - 2 && MODIFIED.test(text))) return false;
  const next = all[at + 1];
  return !LABEL.test(text) || (next !== undefined && next.kind !== 'heading' && !LABEL.test(next.text));
}

/** Whether a block is a trail of pages to the one with these names. */
function leadsTo(names: string[], { kind, text }: Block): boolean {
  const last = kind === 'text' || kind === 'item' ? (trailIn(text)?.at(-1) ?? '') : '';
  const isIn = (name: string): boolean =>
    name === last || name.startsWith(`${last} `) || name.endsWith(` ${last}`) || trailIn(name)?.includes(last) === true;
  return last !== '' && names.some(isIn);
}

/** In one line, though a browser may have broken it. */
const headingOf = (block: Block): Block => ({
  ...block,
  kind: 'heading',
  level: 6,
  text: block.text.replaceAll('\n', ' '),
});

/**
 * A bold paragraph above other text counts as a heading, unless it carries information itself: a sentence, a label, a
 * telephone number.
 */
function isBoldHeading({ block, bold, linked }: PlacedBlocks[number], next: PlacedBlocks[number] | undefined): boolean {
  if (!bold || linked || !next || next.bold || next.block.kind === 'heading') return false;
  if (block.kind === 'item' ? next.block.kind !== 'text' : block.kind !== 'text') return false;
  const { text } = headingOf(block);
  // A step of an ordered list may have a title, and is no section of its own.
  if (block.number !== undefined && !text.endsWith('?')) return false;
  const isOverText = next.block.kind === 'text' && next.block.text.length >= MIN_BELOW_COLON;
  const title = text.replace(NUMBERED, '').replace(isOverText ? /:$/ : /$/, '');
  return text.length <= MAX_HEADING_LENGTH && (text.endsWith('?') || TITLE.test(title));
}

const lengthOf = (part: PlacedBlocks): number => part.reduce((sum, { block }) => sum + block.text.length, 0);
const share = (part: PlacedBlocks, whole: PlacedBlocks): number => lengthOf(part) / (lengthOf(whole) || 1);
