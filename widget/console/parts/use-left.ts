import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

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
