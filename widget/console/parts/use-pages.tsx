import type { ComponentChildren } from 'preact';
import { useSignal } from '../signals.ts';
import { getPage } from '../wire.ts';
import { Button, Failed } from './controls.tsx';
import { useAction } from './use-action.ts';
import { useLoad, type Loaded } from './use-load.ts';

interface Pages<T> extends Loaded<T[]> {
  /** Of all pages that were loaded. */
  listed: T[];
  /** The button for the next page, where there is one. */
  more: ComponentChildren;
}

/** A list of /api/v1 that comes in pages. `label`: of the button for the next one. */
export function usePages<T>(path: string, label = 'Show more'): Pages<T> {
  const further = useSignal<T[]>([]);
  const next = useSignal('');
  const { isBusy, failure, run } = useAction();
  const loaded = useLoad(path, async (signal) => {
    // What follows the list before is no part of this one.
    next.value = '';
    const page = await getPage<T>(path, signal);
    further.value = [];
    next.value = page.next;
    return page.list;
  });
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const from = next.value;
      const page = await getPage<T>(from);
      // Another list stands there by now.
      if (next.value !== from) return;
      further.value = [...further.value, ...page.list];
      next.value = page.next;
    });
  return {
    ...loaded,
    listed: [...(loaded.data.value ?? []), ...further.value],
    more: (
      <>
        <Failed failure={failure} />
        {next.value && (
          <Button isBusy={isBusy.value} onClick={() => void loadMore()}>
            {label}
          </Button>
        )}
      </>
    ),
  };
}
