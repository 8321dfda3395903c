import type { Frame, Page } from 'playwright';
import { launchChromium } from '../chromium.ts';
import { KEYS, type Driver } from './driver.ts';

/** Chromium, by Playwright; the one at `path`, where given. */
export async function startChromium(path?: string): Promise<Driver> {
  const browser = await launchChromium([], path);
  const context = await browser.newContext({ viewport: null });
  let page: Page = await context.newPage();
  let frame: Frame | undefined;
  const names = new Map<string, string>(Object.entries(KEYS).map(([name, key]) => [key, name]));
  return {
    name: `Chromium ${browser.version()}`,
    async goto(url) {
      frame = undefined;
      await page.goto(url);
    },
    run: (act, ...args) =>
      (frame ?? page).evaluate(
        // The page's policy may forbid `eval`: Playwright calls the function from outside.
        new Function('args', `return (${act}).apply(null, args)`) as (args: unknown) => never,
        args,
      ),
    async click(x, y) {
      const box = await (await frame?.frameElement())?.boundingBox();
      await page.mouse.click(x + (box?.x ?? 0), y + (box?.y ?? 0));
    },
    async type(text) {
      for (const key of text) await page.keyboard.press(names.get(key) ?? key);
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    async openTab() {
      page = await context.newPage();
      frame = undefined;
    },
    async toTab(index) {
      page = context.pages()[index]!;
      frame = undefined;
      await page.bringToFront();
    },
    async toFrame(isIn) {
      frame = isIn ? page.frames()[1] : undefined;
    },
    close: () => browser.close(),
  };
}
