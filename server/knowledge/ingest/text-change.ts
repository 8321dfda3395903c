import type { SourceDocument } from '../../store/store.ts';
import { MAX_LINE_LENGTH, MAX_LINES, type TextChange } from '../../schema/sources/source-text.ts';

/**
 * What `after` says that `before` did not, and the reverse, by lines: where passages begin and end may differ though their words do
 * not. Undefined where no line differs, or there was no text before.
 */
export function changeOfText(
  before: SourceDocument | undefined,
  after: SourceDocument,
  at: string,
): TextChange | undefined {
  if (!before?.text) return undefined;
  const added = linesOnlyIn(after, before);
  const removed = linesOnlyIn(before, after);
  if (added.length + removed.length === 0) return undefined;
  return {
    at,
    added: added.length,
    removed: removed.length,
    added_lines: added.slice(0, MAX_LINES).map(shortened),
    removed_lines: removed.slice(0, MAX_LINES).map(shortened),
  };
}

/** A line that stands twice in one and once in the other counts once. */
function linesOnlyIn(one: SourceDocument, other: SourceDocument): string[] {
  const known = new Map<string, number>();
  for (const line of linesOf(other)) known.set(line, (known.get(line) ?? 0) + 1);
  return linesOf(one).filter((line) => {
    const left = known.get(line) ?? 0;
    if (left > 0) known.set(line, left - 1);
    return left === 0;
  });
}

const linesOf = ({ text }: SourceDocument): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const shortened = (line: string): string =>
  line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1).toWellFormed()}…` : line;
