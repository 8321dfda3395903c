import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Loaded<T> {
  /** Undefined until it was loaded once; kept while it is loaded again. */
  data: ReadonlySignal<T | undefined>;
  /** '' unless the last attempt failed. */
  failure: ReadonlySignal<string>;
  reload: () => void;
}

/**
 * Loads at once, again when `key` changes, and `again(data)` milliseconds after it was loaded; 0: not again. What comes late for a
 * key before is dropped.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  again: (data: T) => number = () => 0,
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const failure = useSignal('');
  const reload = useRef(() => {});
  useEffect(() => {
    const left = new AbortController();
    let running: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      clearTimeout(timer);
      running?.abort();
      const own = (running = new AbortController());
      try {
        const loaded = await load(AbortSignal.any([own.signal, left.signal]));
        if (own.signal.aborted || left.signal.aborted) return;
        data.value = loaded;
        failure.value = '';
        const pause = again(loaded);
        if (pause) timer = setTimeout(() => void run(), pause);
      } catch (error) {
        if (own.signal.aborted || left.signal.aborted) return;
        failure.value = error instanceof Error ? error.message : String(error);
      }
    };
    reload.current = () => void run();
    void run();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return { data, failure, reload: () => reload.current() };
}
