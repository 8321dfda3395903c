import type { ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useSignal } from '../../signals.ts';

/** Moves through the list by `j` and `k`, to the search by `/`; `?` shows the keys. Not while a field has the focus. */
export function useKeys(): { areShown: ReadonlySignal<boolean> } {
  const areShown = useSignal(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyped =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
      if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
      else if (event.key === '/') document.querySelector<HTMLElement>('.filters [type=search]')?.focus();
      else if (event.key === '?') areShown.value = !areShown.value;
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { areShown };
}

/** From the row that has the focus, else from the one that is open. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.conversations .rows a')];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === 'true');
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}
