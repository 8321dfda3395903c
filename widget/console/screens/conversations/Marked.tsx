import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** A text in which the words that were sought, and those that begin with one, are marked. */
export const Marked = ({ text, sought }: { text: string; sought: string }) => {
  const isSought = soughtIn(sought);
  return (
    <>
      {text.split(WORD).map((piece, at) => (at % 2 === 1 && isSought(piece) ? <mark key={at}>{piece}</mark> : piece))}
    </>
  );
};

const WORD = /([\p{L}\p{M}\p{N}]+)/gu;
const fold = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/** Tells the words that were sought, and those that begin with one. */
function soughtIn(sought: string): (word: string) => boolean {
  const starts = (sought.match(WORD) ?? []).map(fold);
  return (word) => starts.some((start) => fold(word).startsWith(start));
}

/** The same words in all that stands in an element, without a change to it; nothing in browsers that have no highlights. */
export function useMarks(root: RefObject<HTMLElement | null>, sought: string, isThere: boolean): void {
  useEffect(() => {
    if (!isThere || !sought || !('highlights' in CSS)) return;
    const [marks, isSought] = [new Highlight(), soughtIn(sought)];
    const texts = document.createTreeWalker(root.current!, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { 0: word, index } of text.data.matchAll(WORD)) {
        if (!isSought(word)) continue;
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        marks.add(range);
      }
    }
    CSS.highlights.set('sought', marks);
    return () => void CSS.highlights.delete('sought');
  }, [sought, isThere]);
}
