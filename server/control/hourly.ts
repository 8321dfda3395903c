/** Milliseconds between two runs, and from the start to the first. */
const [INTERVAL_MS, FIRST_MS] = [3_600_000, 60_000];

/** Runs `act` once an hour, the next only after the one before has ended. `act` does not reject, and ends soon once its signal is aborted. */
export function startHourly(act: (signal: AbortSignal) => Promise<void>): { close(): Promise<void> } {
  const ending = new AbortController();
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = act(ending.signal).then(() => {
        if (!ending.signal.aborted) schedule(INTERVAL_MS);
      });
    }, ms).unref();
  };
  schedule(FIRST_MS);
  return {
    async close() {
      ending.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
