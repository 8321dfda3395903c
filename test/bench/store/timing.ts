export interface Row {
  measure: string;
  ms: number | string;
  floor_ms: number | string;
  ratio: number | string;
  goal: string;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/** Times each of the actions in turn, round after round, so that a slow moment of the disk hits all of them. */
export async function interleaved(
  actions: Record<string, () => Promise<unknown>>,
  rounds: number,
  times: number,
): Promise<Record<string, number>> {
  const taken: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, act] of Object.entries(actions)) {
      for (let i = 0; i < times; i++) {
        const start = performance.now();
        await act();
        (taken[name] ??= []).push(performance.now() - start);
      }
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)]));
}

export const row = (measure: string, ms: number, floor: number, goal: string): Row => ({
  measure,
  ms,
  floor_ms: floor,
  ratio: ms / floor,
  goal,
});
