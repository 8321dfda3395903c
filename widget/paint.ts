/** Joins all calls of one animation frame into one; a hidden tab has no frames, so there it runs at once. */
export interface Paint {
  soon(): void;
  /** Runs what is waiting, now. */
  flush(): void;
}

export function createPaint(paint: () => void): Paint {
  let frame = 0;
  const flush = (): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    paint();
  };
  return {
    flush,
    soon() {
      if (document.hidden) flush();
      else frame ||= requestAnimationFrame(flush);
    },
  };
}
