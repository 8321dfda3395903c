/** Scrolling down to within this distance of the end counts as being at the end. */
const NEAR_END_PX = 48;

/** Keeps a log scrolled to its end while the reader is there; else shows its last child, a button that scrolls there. */
export function stickToEnd(log: HTMLElement): void {
  const [content, button] = log.children as HTMLCollectionOf<HTMLElement>;
  let isAtEnd = true;
  let last = 0;
  const update = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = log;
    const left = scrollHeight - scrollTop - clientHeight;
    // Only scrolling up leaves the end; content that grows below does not.
    isAtEnd = left < 2 || (isAtEnd ? scrollTop >= last : scrollTop > last && left < NEAR_END_PX);
    button!.hidden = isAtEnd;
    last = scrollTop;
  };
  const observer = new ResizeObserver(() => {
    // An open card stays beside its marker.
    if (isAtEnd) scrollIntoLog(content!.querySelector('.card') ?? content!);
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

/** Scrolls the log, never the page around it, until the bottom of `part` is visible. */
export function scrollIntoLog(part: Element | null): void {
  const log = part?.closest('.log');
  if (log)
    log.scrollTop += Math.max(0, part!.getBoundingClientRect().bottom + MARGIN_PX - log.getBoundingClientRect().bottom);
}
