import type { Page } from 'playwright';

/** Contrast of two colours as CSS writes them, 1 to 21, as the browser draws them; an opaque ground shows through. */
export const contrastOf = (page: Page, color: string, ground: string): Promise<number> =>
  page.evaluate(
    (colors) => {
      const canvas = document.createElement('canvas').getContext('2d')!;
      const [light, dark] = colors
        .map((drawn) => {
          for (const one of [colors[1]!, drawn]) {
            canvas.fillStyle = one;
            canvas.fillRect(0, 0, 1, 1);
          }
          const [red, green, blue] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05;
        })
        .toSorted((one, other) => other - one);
      return light! / dark!;
    },
    [color, ground],
  );
