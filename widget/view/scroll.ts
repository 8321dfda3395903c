/** How far from the end a reader who comes near it counts as being there, in px. */
const NEAR_END_PX = 48;

/** Keeps a scrolled log at its end for as long as the reader is there; elsewhere its last child, a button, leads there. */
export function stickToEnd(log: HTMLElement): void {
  const [content, button] = log.children as HTMLCollectionOf<HTMLElement>;
  let isAtEnd = true;
  let last = 0;
  const toEnd = (): void => void (log.scrollTop = log.scrollHeight);
  const update = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = log;
    const left = scrollHeight - scrollTop - clientHeight;
    // Only who scrolls up, be it by a line, leaves the end; text that has just come does not take a reader from it.
    isAtEnd = left < 2 || (isAtEnd ? scrollTop >= last : scrollTop > last && left < NEAR_END_PX);
    button!.hidden = isAtEnd;
    last = scrollTop;
  };
  const observer = new ResizeObserver(() => {
    if (isAtEnd) toEnd();
    update();
  });
  log.onscroll = update;
  button!.onclick = () => {
    toEnd();
    log.focus({ preventScroll: true });
  };
  observer.observe(log);
  observer.observe(content!);
}

/** As much as stands below an answer, and below a card. */
const MARGIN_PX = 12;

/** Scrolls the log, never the page around it, until a part of it is seen to its end. */
export function scrollIntoLog(part: Element | null): void {
  const log = part?.closest('.log');
  if (log)
    log.scrollTop += Math.max(0, part!.getBoundingClientRect().bottom + MARGIN_PX - log.getBoundingClientRect().bottom);
}
