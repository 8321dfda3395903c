import { signal, type Signal } from '@preact/signals';

/** Keeps a scrolled log at its end for as long as the reader is there. */
export interface Follower {
  readonly isAtEnd: Signal<boolean>;
  toEnd(): void;
  /** Where the reader is now. */
  look(): void;
  /** The log, whose only child is its content; null when it goes. */
  watch(log: HTMLElement | null): void;
}

/** How far from the end a reader still counts as being there, in px. */
const NEAR_END = 48;

export function createFollower(): Follower {
  const isAtEnd = signal(true);
  let log: HTMLElement | null = null;
  const toEnd = (): void => {
    if (log) log.scrollTop = log.scrollHeight;
    isAtEnd.value = true;
  };
  const observer = new ResizeObserver(() => {
    if (isAtEnd.peek()) toEnd();
  });
  return {
    isAtEnd,
    toEnd,
    look() {
      if (log) isAtEnd.value = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END;
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
