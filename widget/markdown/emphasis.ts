import type { Inline } from './inline.ts';

/** A run of `*`, `_` or `~` that may open or close emphasis. */
export interface Run {
  kind: 'run';
  char: string;
  /** Signs that are not used up. */
  count: number;
  length: number;
  canOpen: boolean;
  canClose: boolean;
}

export type Item = Inline | Run;

/** What stands after a run that may be an opener; the first has none. */
interface Frame {
  run?: Run;
  children: Inline[];
}

function matches(opener: Run, closer: Run): boolean {
  if (opener.char !== closer.char) return false;
  if (opener.char === '~') return opener.count === closer.count;
  // The rule of three: `*foo**bar*` is one emphasis, not two.
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || (opener.length + closer.length) % 3 !== 0 || opener.length % 3 === 0;
}

const wrap = ({ char }: Run, use: number, children: Inline[]): Inline => ({
  kind: char === '~' ? 's' : use === 2 ? 'strong' : 'em',
  children,
});

const textOf = ({ char, count }: Run): Inline => ({ kind: 'text', text: char.repeat(count) });

/** Makes emphasis of the runs. `isUnfinished`: what is open at the end counts as closed, so that `**bo` shows no stars. */
export function resolve(items: Item[], isUnfinished: boolean): Inline[] {
  const frames: Frame[] = [{ children: [] }];
  const push = (node: Inline): number => frames.at(-1)!.children.push(node);

  /** Takes the frames above `depth` back as the plain text they were. */
  function flatten(depth: number): void {
    for (const { run, children } of frames.splice(depth + 1)) {
      push(textOf(run!));
      for (const child of children) push(child);
    }
  }

  function close(closer: Run): void {
    while (closer.count) {
      const depth = frames.findLastIndex(({ run }) => run && matches(run, closer));
      if (depth < 0) return;
      flatten(depth);
      const { run, children } = frames.pop()!;
      const use = closer.char === '~' ? closer.count : Math.min(2, run!.count, closer.count);
      const node = wrap(run!, use, children);
      closer.count -= use;
      run!.count -= use;
      if (run!.count) frames.push({ run: run!, children: [node] });
      else push(node);
    }
  }

  function closeAll(): void {
    while (frames[1]) {
      const { run, children } = frames.pop()!;
      if (children[0] && run!.count <= 2) push(wrap(run!, run!.count, children));
      else for (const child of children) push(child);
    }
  }

  for (const item of items) {
    if (item.kind !== 'run') push(item);
    else {
      if (item.canClose) close(item);
      if (item.count && item.canOpen) frames.push({ run: item, children: [] });
      else if (item.count) push(textOf(item));
    }
  }
  if (isUnfinished) closeAll();
  flatten(0);
  return frames[0]!.children;
}
