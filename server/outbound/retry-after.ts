/** Seconds of a `Retry-After`, which is a number or a date, 3600 at most; undefined where it is neither. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), 3600) : undefined;
}
