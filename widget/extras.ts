import { effect, signal } from '@preact/signals';

/** What a first answer does without, once it is here. */
export const extras = signal<typeof import('./extras/index.ts') | undefined>(undefined);

/** Rejects where it cannot be loaded; the next call tries again. */
export const loadExtras = async (): Promise<NonNullable<typeof extras.value>> =>
  (extras.value ??= await import('./extras/index.ts'));

/** Where it fails nothing is missing but what would have come. */
export const loadMore = (): void => void loadExtras().catch(() => undefined);

/** Milliseconds from the end of an answer: first it is read, and it is all there without what comes after. */
const READING_MS = 1000;

/** Loads them when `isAnswered`, which reads signals, has been true for a while. Returns what calls it off. */
export const loadAfterReading = (isAnswered: () => boolean): (() => void) =>
  effect(() => {
    const timer = isAnswered() ? setTimeout(loadMore, READING_MS) : undefined;
    return () => clearTimeout(timer);
  });
