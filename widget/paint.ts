/** Joins all calls of one animation frame into one; a hidden tab has no frames, so there it runs at once. */
export interface Paint {
  soon(): void;
  /** Runs what is waiting, now. */
  flush(): void;
  cancel(): void;
}

export function createPaint(paint: () => void): Paint {
  let frame: number | undefined;
  const cancel = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
  };
  const flush = (): void => {
    cancel();
    paint();
  };
  return {
    cancel,
    flush,
    soon() {
      if (document.hidden) flush();
      else frame ??= requestAnimationFrame(flush);
    },
  };
}
