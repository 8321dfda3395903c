import type { ReadonlySignal, Signal } from '@preact/signals';
import { useSignal } from '../signals.ts';

export interface Action {
  isBusy: ReadonlySignal<boolean>;
  /** '' unless the last one failed. */
  failure: Signal<string>;
  /** Runs `act` unless one is under way; resolves with whether it succeeded. */
  run: (act: () => Promise<unknown>) => Promise<boolean>;
}

/** One action of a form or a row at a time, with its progress and its failure. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const failure = useSignal('');
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy.value) return false;
    isBusy.value = true;
    failure.value = '';
    try {
      await act();
      return true;
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, failure, run };
}
