import type { TextFilter } from '../safety/guard.ts';

/** Questions to go on with that a model proposes in the call that answers, after its answer. */

/** On a line of its own, between an answer and what is proposed. */
const OPENING = '<follow-ups>';

/** Goes to the model with the rules for its answer. */
export const PROPOSE = `After an answer from the passages write a line with ${OPENING} alone, and below it at most three short questions, one a line, that the visitor may ask next and that the passages answer, in the language of the answer. It is no part of the answer: write nothing about it.`;

/** UTF-16 units that are kept of what is proposed, and white space that is held back. */
const [MAX_PROPOSED, MAX_HELD] = [1000, 100];
const LIST_ITEM = /^(?:[-*•–]|\d[.)])\s+/;

export interface ProposalFilter extends TextFilter {
  /** What is proposed, a line each, as the model wrote it; to be called at the end. */
  proposed(): string[];
}

/** Lets an answer pass, and keeps what stands below `OPENING` from it. */
export function createProposalFilter(): ProposalFilter {
  let heldBack = '';
  let hasText = false;
  let isAtLineStart = true;
  let proposed: string | undefined;

  const emit = (text: string): string => {
    if (text === '') return text;
    hasText ||= text.trim() !== '';
    isAtLineStart = text.endsWith('\n');
    return text;
  };

  function pass(piece: string): string {
    if (proposed !== undefined) {
      proposed = (proposed + piece).slice(0, MAX_PROPOSED);
      return '';
    }
    const text = heldBack + piece;
    const at = openingIn(text, isAtLineStart);
    if (at < 0) {
      const end = heldFrom(text, isAtLineStart);
      heldBack = text.slice(end);
      return emit(text.slice(0, end));
    }
    heldBack = '';
    const rest = text.slice(at + OPENING.length);
    // Before an answer it is a mistake of the model.
    if (!hasText && text.slice(0, at).trim() === '') return pass(rest.trimStart());
    proposed = rest.slice(0, MAX_PROPOSED);
    return emit(text.slice(0, at).trimEnd());
  }

  return {
    pass,
    rest() {
      const text = heldBack;
      heldBack = '';
      return emit(text);
    },
    proposed: () =>
      (proposed ?? '')
        .split('\n')
        .map((line) => line.trim().replace(LIST_ITEM, ''))
        .filter((line) => line !== '' && !line.startsWith('<')),
  };
}

/** Where `OPENING` begins a line of the text; -1 where it does not. */
function openingIn(text: string, isAtLineStart: boolean): number {
  for (let at = text.indexOf(OPENING); at >= 0; at = text.indexOf(OPENING, at + 1)) {
    const line = text.lastIndexOf('\n', at) + 1;
    if (text.slice(line, at).trim() === '' && (line > 0 || isAtLineStart)) return at;
  }
  return -1;
}

/** From where on the text may become `OPENING`, with the white space before it, which is no part of an answer either. */
function heldFrom(text: string, isAtLineStart: boolean): number {
  const line = text.lastIndexOf('\n') + 1;
  const mayOpen = (line > 0 || isAtLineStart) && OPENING.startsWith(text.slice(line).trimStart());
  if (!mayOpen) return text.length;
  const from = text.slice(0, line).trimEnd().length;
  return text.length - from > MAX_HELD ? text.length : from;
}
