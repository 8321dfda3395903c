import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

const QUESTION = 'Leave without saving your changes?';

/** Of the screen that is shown: its address, and for each form whether leaving loses something. */
let here = '';
const forms = new Set<() => boolean>();

const isUnsaved = (): boolean => [...forms].some((is) => is());
const isKept = (): boolean => isUnsaved() && !confirm(QUESTION);

/** For what leads elsewhere by itself. */
export const mayLeave = (): boolean => !isKept();

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Has to be called before the router listens: at a window, listeners run in the order in which they came. */
export function askBeforeLeaving(): void {
  addEventListener(
    'click',
    (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
      const isNewTab = event.ctrlKey || event.metaKey || event.shiftKey || link?.target === '_blank' || link?.download;
      const isElsewhere = link && link.pathname + link.search !== location.pathname + location.search;
      if (isElsewhere && !isNewTab && isKept()) stop(event);
    },
    true,
  );
  addEventListener('popstate', (event) => {
    if (location.href === here || !isKept()) return;
    stop(event);
    history.pushState(null, '', here);
  });
  addEventListener('beforeunload', (event) => isUnsaved() && event.preventDefault());
}

/** Asks once before this screen is left, by whatever way, while `is()`. */
export function useLeave(is: () => boolean): void {
  const latest = useRef(is);
  latest.current = is;
  useEffect(() => {
    here = location.href;
    const own = (): boolean => latest.current();
    forms.add(own);
    return () => void forms.delete(own);
  }, []);
}

/** Is aborted once the component is gone. */
export function useLeft(): AbortSignal {
  const left = useMemo(() => new AbortController(), []);
  useEffect(() => () => left.abort(), []);
  return left.signal;
}

/** Leads to another screen, unless the component is gone: a late reply leads nobody away from what they do by then. */
export function useNext(): (path: string) => void {
  const { route } = useLocation();
  const left = useLeft();
  return (path) => void (left.aborted || route(path));
}
