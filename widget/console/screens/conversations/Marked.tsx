/** A text in which the words that were sought, and those that begin with one, are marked. */
export const Marked = ({ text, sought }: { text: string; sought: string }) => {
  const starts = (sought.match(WORD) ?? []).map(fold);
  const isSought = (word: string): boolean => starts.some((start) => fold(word).startsWith(start));
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
