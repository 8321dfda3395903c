import { signal, type Signal } from '@preact/signals';

/** Keeps a scrolled log at its end for as long as the reader is there. */
export interface Follower {
  readonly isAtEnd: Signal<boolean>;
  toEnd(): void;
  /** To the end, with the focus. */
  show(): void;
  /** Where the reader is now. */
  look(): void;
  /** The log, whose only child is its content; null when it goes. */
  watch(log: HTMLElement | null): void;
}

/** How far from the end a reader who comes near it counts as being there, in px. */
const NEAR_END = 48;

export function createFollower(): Follower {
  const isAtEnd = signal(true);
  let log: HTMLElement | null = null;
  let last = 0;
  const toEnd = (): void => {
    isAtEnd.value = true;
    if (!log) return;
    log.scrollTop = log.scrollHeight;
    last = log.scrollTop;
  };
  const observer = new ResizeObserver(() => {
    if (isAtEnd.peek()) toEnd();
  });
  return {
    isAtEnd,
    toEnd,
    show() {
      toEnd();
      log?.focus();
    },
    look() {
      if (!log) return;
      const { scrollTop, scrollHeight, clientHeight } = log;
      const left = scrollHeight - scrollTop - clientHeight;
      // Only who scrolls up, be it by a line, leaves the end; text that has just come does not take a reader from it.
      isAtEnd.value = left < 2 || (scrollTop >= last && (isAtEnd.peek() || left < NEAR_END));
      last = scrollTop;
    },
    watch(element) {
      log = element;
      observer.disconnect();
      if (!log) return;
      observer.observe(log);
      observer.observe(log.firstElementChild!);
      toEnd();
    },
  };
}
