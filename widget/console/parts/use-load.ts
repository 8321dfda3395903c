import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { useSignal } from '../signals.ts';

/** Milliseconds after which a look that failed is repeated. */
const FAILED_MS = 5000;

export interface Loaded<T> {
  /** Undefined until it was loaded once; kept while it is loaded again. */
  data: ReadonlySignal<T | undefined>;
  /** '' unless the last attempt failed. */
  failure: ReadonlySignal<string>;
  reload: () => void;
}

/**
 * Loads at once, again when `key` changes, and `pollAfter(data)` milliseconds after it was loaded; 0: not again. What comes late for a
 * key before is dropped.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  pollAfter: (data: T) => number = () => 0,
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const failure = useSignal('');
  const reload = useRef(() => {});
  useEffect(() => {
    const left = new AbortController();
    let running: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Of the last look that succeeded. */
    let pause = 0;
    const plan = (ms: number): void => {
      if (ms) timer = setTimeout(() => (document.hidden || !account.value ? plan(ms) : void run()), ms);
    };
    const run = async (): Promise<void> => {
      clearTimeout(timer);
      running?.abort();
      const own = (running = new AbortController());
      try {
        const loaded = await load(AbortSignal.any([own.signal, left.signal]));
        if (own.signal.aborted || left.signal.aborted) return;
        data.value = loaded;
        failure.value = '';
        pause = pollAfter(loaded);
        plan(pause);
      } catch (error) {
        if (own.signal.aborted || left.signal.aborted) return;
        failure.value = error instanceof Error ? error.message : String(error);
        if (pause) plan(FAILED_MS);
      }
    };
    reload.current = () => void run();
    void run();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [key]);
  // What the end of a sign-in kept back is there after the next one.
  useEffect(() => {
    if (account.value && failure.value) reload.current();
  }, [account.value]);
  return { data, failure, reload: () => reload.current() };
}
