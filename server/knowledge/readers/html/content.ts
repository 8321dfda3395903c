import { setImmediate } from 'node:timers/promises';
import type { Block } from '../blocks.ts';
import type { Placed } from './block-flow.ts';
import { TimeSlice } from '../../../async/time-slice.ts';

/** In which parts of the page a text stands. */
export interface Region {
  main: boolean;
  article: boolean;
  form: boolean;
  /** By the names of what it stands in. */
  boilerplate: boolean;
}

type All = Placed<Region>[];

/** So many links in a row, and nothing else, are a list of them. */
const LINKS = 3;
/** A share of the page that is too small to be what it is about. */
const LITTLE = 0.1;
const NEXT_TO_NOTHING = 0.03;
/** Labels of a picture or a form that is not read here. */
const LABEL = /^[^.!?]{1,40}:$/;
const CONTENTS = /^\W*(?:table of )?contents\W*$/i;
const LONGEST_TITLE = 120;
/** Blocks of a page from which on each look at all of them is a turn of its own. */
const MANY = 2000;
const NUMBERED = /^\W*\d{1,3}\b\W*/;
const TITLE = /^[^\d@:\n]*\p{L}[^\d@:\n]*(?<![.!…。！])$/u;
const MODIFIED = /^(?:this )?(?:page|article|document)?\s*(?:was )?last (?:modified|updated|edited|changed)\b.{0,60}$/i;

/** The narrowest part of the page that holds its words: `main`, else its articles, else all but forms, else all. */
export async function contentOf(everything: All, title: string): Promise<Block[]> {
  const pause = () => (everything.length > MANY ? setImmediate() : undefined);
  const named = everything.filter(({ place }) => !place.boilerplate);
  const all = share(named, everything) < NEXT_TO_NOTHING ? everything : named;
  await pause();
  const free = all.filter(({ place }) => !place.form);
  const main = free.filter(({ place }) => place.main);
  const articles = free.filter(({ place }) => place.article);
  await pause();
  const parts = [main, share(articles, free) > 0.5 ? articles : [], free];
  const chosen = parts.find((part) => lengthOf(part) > 0) ?? all;
  await pause();
  // Some systems wrap the whole page in one form, or leave `main` nearly empty.
  const part = share(chosen, all) < LITTLE ? all : chosen;
  await pause();
  const told = withoutIndexes(part === main || part === articles ? part : withoutMenus(part));
  await pause();
  const kept = share(told, part) < LITTLE ? part : told;
  return tellingOf(kept, title);
}

async function tellingOf(kept: All, title: string): Promise<Block[]> {
  const blocks: Block[] = [];
  const timeSlice = new TimeSlice();
  for (const [at, one] of kept.entries()) {
    blocks.push(isTitled(one, kept[at + 1]) ? { ...one.block, kind: 'heading', level: 6 } : one.block);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  const telling: Block[] = [];
  for (const [at, block] of blocks.entries()) {
    if (tells(block, at, blocks, title)) telling.push(block);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  return telling;
}

/** Links before the first heading, or, where there is none, before the first words; and many after the last, with no heading. */
function withoutMenus(part: All): All {
  const heading = part.findIndex(({ block }) => block.kind === 'heading');
  const begin = heading >= 0 ? heading : part.findIndex(({ linked }) => !linked);
  const end = part.findLastIndex(({ block, linked }) => block.kind === 'heading' || !linked);
  const after = part.length - 1 - end >= LINKS && part[end]?.block.kind !== 'heading' ? end : part.length;
  return part.filter(({ linked }, at) => !linked || (at >= begin && at <= after));
}

/** Three or more links to places of the same page, one after the other, are its table of contents. */
function withoutIndexes(part: All): All {
  const kept: All = [];
  let run: All = [];
  const close = (): void => {
    if (run.length < LINKS) kept.push(...run);
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

function tells({ kind, text }: Block, at: number, all: Block[], title: string): boolean {
  if (kind !== 'text' || all.length === 1) return true;
  if (text === title && at === 0) return false;
  if (CONTENTS.test(text) || (at >= all.length - 2 && MODIFIED.test(text))) return false;
  const next = all[at + 1];
  return !LABEL.test(text) || (next !== undefined && next.kind !== 'heading' && !LABEL.test(next.text));
}

/**
 * A bold paragraph with other text below it is a heading to its readers; not what tells something by itself: a whole
 * sentence, a label, a telephone number.
 */
function isTitled({ block, bold, linked }: All[number], next: All[number] | undefined): boolean {
  if (!bold || linked || !next || next.bold || next.block.kind === 'heading') return false;
  if (block.kind === 'item' ? next.block.kind !== 'text' : block.kind !== 'text') return false;
  const { text } = block;
  return text.length <= LONGEST_TITLE && (text.endsWith('?') || TITLE.test(text.replace(NUMBERED, '')));
}

const lengthOf = (part: All): number => part.reduce((sum, { block }) => sum + block.text.length, 0);
const share = (part: All, whole: All): number => lengthOf(part) / (lengthOf(whole) || 1);
