import type { Inline } from './inline.ts';

/** A run of `*`, `_` or `~` that may open or close emphasis. */
export interface Run {
  kind: 'run';
  char: string;
  count: number;
  length: number;
  canOpen: boolean;
  canClose: boolean;
}

export type Item = Inline | Run;

/** Adds text to what is there, joining it with the text before it. */
function pushText(children: Inline[], text: string): void {
  const last = children.at(-1);
  if (last?.kind === 'text') last.text += text;
  else if (text) children.push({ kind: 'text', text });
}

function pushAll(children: Inline[], added: Inline[]): void {
  for (const node of added) {
    if (node.kind === 'text') pushText(children, node.text);
    else children.push(node);
  }
}

interface Frame {
  run: Run | undefined;
  children: Inline[];
}

function matches(opener: Run, closer: Run): boolean {
  if (opener.char !== closer.char) return false;
  if (opener.char === '~') return opener.count === closer.count;
  // The rule of three: `*foo**bar*` is one emphasis, not two.
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

const KINDS = { 1: 'emphasis', 2: 'strong' } as const;

function wrap(run: Run, use: number, children: Inline[]): Inline {
  return { kind: run.char === '~' ? 'strike' : KINDS[use as 1 | 2], children };
}

/** Takes the frames above `depth` back as the plain text they were. */
function flatten(frames: Frame[], depth: number): void {
  while (frames.length > depth + 1) {
    const { run, children } = frames.pop()!;
    const below = frames.at(-1)!.children;
    if (run) pushText(below, run.char.repeat(run.count));
    pushAll(below, children);
  }
}

function close(frames: Frame[], closer: Run): void {
  while (closer.count > 0) {
    const depth = frames.findLastIndex(({ run }) => run && matches(run, closer));
    if (depth < 0) return;
    flatten(frames, depth);
    const frame = frames[depth]!;
    const opener = frame.run!;
    const use = opener.char === '~' ? opener.count : Math.min(2, opener.count, closer.count);
    frame.children = [wrap(opener, use, frame.children)];
    opener.count -= use;
    closer.count -= use;
    if (opener.count === 0) pushAll(frames[depth - 1]!.children, frames.pop()!.children);
  }
}

/** In an unfinished text an opener that has content counts as closed, so that `**bo` never shows its stars. */
function closeUnfinished(frames: Frame[]): void {
  while (frames.length > 1) {
    const { run, children } = frames.pop()!;
    const isReal = children.length > 0 && run!.count <= 2;
    pushAll(frames.at(-1)!.children, isReal ? [wrap(run!, run!.count, children)] : children);
  }
}

/** Makes emphasis of the runs. `isUnfinished`: what is open at the end counts as closed. */
export function resolve(items: Item[], isUnfinished: boolean): Inline[] {
  const frames: Frame[] = [{ run: undefined, children: [] }];
  for (const item of items) {
    if (item.kind !== 'run') {
      pushAll(frames.at(-1)!.children, [item]);
      continue;
    }
    if (item.canClose) close(frames, item);
    if (item.count === 0) continue;
    if (item.canOpen) frames.push({ run: item, children: [] });
    else pushText(frames.at(-1)!.children, item.char.repeat(item.count));
  }
  if (isUnfinished) closeUnfinished(frames);
  flatten(frames, 0);
  return frames[0]!.children;
}
