import type { Block } from '../readers/blocks.ts';

/** `1. Weigh`, `Step 1`, `Schritt 1: Wiegen`: a word or none, the number, and what the step is called. Not `Part 1` or `Page 1`. */
const STEP =
  /^(?:(?:step|schritt|[ée]tape|paso|passo|pas|stap|steg|trinn?|krok|adım|vaihe|lépés|шаг|крок|βήμα)\s+)?(\d{1,2})(?:[.):–-]+(?=\s|$)|(?=\s*$))\s*(.*)$/isu;
const ASKS = /[?？؟]\s*$/;
/** Characters of one step. A longer one is a chapter. */
const MAX_STEP_LENGTH = 400;

interface Section {
  heading: Block;
  name: string;
  text: string;
  /** The block behind it. */
  end: number;
}

/**
 * Turns short sections whose headings are numbered from 1 on into the items of an ordered list: an instruction whose steps
 * are headings is to stay together, and in its order, as one that is written as a list.
 */
export function withStepsAsList(blocks: Block[]): Block[] {
  if (!blocks.some(({ kind, text }) => kind === 'heading' && STEP.exec(text)?.[1] === '1')) return blocks;
  const joined: Block[] = [];
  // Readers number lists from 0 on.
  let list = -1;
  for (let at = 0; at < blocks.length;) {
    const steps = stepsFrom(blocks, at);
    if (steps.length < 2) joined.push(blocks[at++]!);
    else {
      joined.push(...steps.map(({ name, text }, place): Block => itemOf(name, text, place + 1, list)));
      list--;
      at = steps.at(-1)!.end;
    }
  }
  return joined;
}

function itemOf(name: string, text: string, number: number, list: number): Block {
  const named = name === '' || text.startsWith(name) ? text : `${name}${/\p{P}$/u.test(name) ? '' : ':'} ${text}`;
  return { kind: 'item', number, list, text: named };
}

function stepsFrom(blocks: Block[], from: number): Section[] {
  const steps: Section[] = [];
  for (let at = from; ;) {
    const step = stepAt(blocks, at, steps.length + 1);
    if (!step || (steps[0] && steps[0].heading.level !== step.heading.level)) return steps;
    steps.push(step);
    at = step.end;
  }
}

function stepAt(blocks: Block[], at: number, number: number): Section | undefined {
  const heading = blocks[at];
  const match = heading?.kind === 'heading' ? STEP.exec(heading.text) : null;
  if (!heading || !match || Number(match[1]) !== number || ASKS.test(heading.text)) return undefined;
  let end = at + 1;
  while (blocks[end]?.kind === 'text' && blocks[end]!.list === undefined) end++;
  const text = blocks
    .slice(at + 1, end)
    .map((block) => block.text)
    .join(' ');
  const isWhole = blocks[end] === undefined || blocks[end]!.kind === 'heading';
  if (!isWhole || text === '' || text.length > MAX_STEP_LENGTH) return undefined;
  return { heading, name: match[2]!.trim(), text, end };
}
