import type { Elements } from '../elements.ts';
import type { Trigger } from '../../../server/types.ts';

/** Whether a path fits a pattern, in which `*` stands for any characters. In linear time: the pattern is the owner's, the path is not. */
export function fitsPattern(path: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return path === pattern;
  if (!path.startsWith(first) || path.length < first.length + last.length || !path.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= path.length - last.length;
}

const CHECK_MS = 250;

/** Calls `leave` once the path no longer fits the pattern, as in a single-page application, unless `signal` is aborted before. */
export function watchPage(page: string, signal: AbortSignal, leave: () => void): void {
  const end = (): void => clearInterval(timer);
  const timer = setInterval(() => {
    if (fitsPattern(location.pathname, page)) return;
    end();
    leave();
  }, CHECK_MS);
  signal.addEventListener('abort', end);
}

/** Calls `show` once, with the first trigger of which all conditions hold, unless `signal` is aborted before. */
export function watchTriggers(
  triggers: readonly Trigger[],
  isReturning: boolean,
  signal: AbortSignal,
  show: (trigger: Trigger) => void,
  readDocument: Elements['readDocument'],
): void {
  const start = performance.now();
  const ending = new AbortController();
  const listening = { signal: ending.signal, passive: true };
  let seen = 0;
  let path = location.pathname;
  let isLeaving = false;

  const holds = ({ seconds = 0, scroll = 0, exit, page, returning }: Trigger): boolean =>
    performance.now() - start >= seconds * 1000 &&
    seen >= scroll &&
    (isLeaving || !exit) &&
    (isReturning || !returning) &&
    (!page || fitsPattern(location.pathname, page));
  const end = (): void => {
    clearInterval(timer);
    ending.abort();
  };
  const check = (): void => {
    // A single-page application's next page is seen from its own start.
    if (path !== location.pathname) {
      path = location.pathname;
      seen = 0;
      isLeaving = false;
      look();
    }
    const found = triggers.find(holds);
    if (!found) return;
    end();
    show(found);
  };
  const look = (): void => {
    const { scrollHeight } = readDocument('documentElement');
    seen = Math.max(seen, ((scrollY + innerHeight) / scrollHeight) * 100);
  };
  // Also what no event tells, such as a single-page application's next address.
  const timer = setInterval(check, CHECK_MS);
  signal.addEventListener('abort', end);
  addEventListener('scroll', look, listening);
  addEventListener(
    'mouseout',
    ({ relatedTarget, clientY }) => (isLeaving ||= !relatedTarget && clientY <= 0),
    listening,
  );
  look();
  check();
}
