const [WIDTH, HEIGHT, EDGE] = [160, 40, 2];

/** A line over days; the figures stand in a table beside it. */
export function Sparkline({ values }: { values: number[] }) {
  const most = Math.max(1, ...values);
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
  const points = values.map((value, at) => {
    const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
    return `${(EDGE + at * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
