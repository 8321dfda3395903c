/** Scrolling down to within this distance of the end counts as being at the end. */
const NEAR_END_PX = 48;
/** Below the reader's place; the button to the end would cover a part of less. */
const LITTLE_PX = 96;

/** Turns that are to be scrolled into view. */
const asked = new WeakSet<Element>();

/** A ref: has the log scroll to a turn once it is laid out. */
export const showTurn = (turn: HTMLElement | null): void => void (turn && asked.add(turn));

/** Keeps a log scrolled to its end while the reader is there; else shows its last child, a button that scrolls there. */
export function stickToEnd(log: HTMLElement): void {
  const [content, button] = log.children as HTMLCollectionOf<HTMLElement>;
  let isAtEnd: boolean | undefined = true;
  let last = 0;
  const update = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = log;
    const left = scrollHeight - scrollTop - clientHeight;
    // Only scrolling up leaves the end; content that grows below does not.
    isAtEnd = left < 2 || (scrollTop >= last && (isAtEnd || left < NEAR_END_PX));
    button!.hidden = isAtEnd || left < LITTLE_PX;
    last = scrollTop;
  };
  const observer = new ResizeObserver(() => {
    const turn = content!.lastElementChild;
    if (asked.delete(turn!)) isAtEnd = true;
    // An open card stays beside its marker.
    isAtEnd &&= scrollIntoLog(content!.querySelector('.card') ?? content!, turn);
    update();
  });
  log.onscroll = update;
  button!.onclick = () => {
    scrollIntoLog(content!);
    log.focus({ preventScroll: true });
  };
  observer.observe(log);
  observer.observe(content!);
}

/** Space left below what is scrolled into view; the style sheet has the same below answers and cards. */
const MARGIN_PX = 12;

/**
 * Scrolls the log, never the page around it, until the bottom of `part` is visible, or the top of `turn` is at the log's: a long answer is
 * read from its question on, and nothing that follows it cuts the question. True where the bottom is visible then.
 */
export function scrollIntoLog(part: Element | null, turn?: Element | null): boolean | undefined {
  const log = part?.closest('.log');
  if (!log) return;
  const { top, bottom } = log.getBoundingClientRect();
  const below = part!.getBoundingClientRect().bottom + MARGIN_PX - bottom;
  const start = turn ? turn.getBoundingClientRect().top - top : below;
  // Browsers round where a log is scrolled to. Where the top is out of sight already, the reader has gone to the end.
  const isCut = start > -2 && start < below;
  log.scrollTop += Math.max(0, isCut ? start : below);
  return !isCut;
}
