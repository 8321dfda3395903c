import type { Page } from 'playwright';
import { expect } from 'vitest';

const MAX_PRESSES = 120;

/** What has the focus: its tag, its words or label, and whether an outline shows it. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
    const label = at.labels?.[0]?.textContent ?? '';
    return {
      tag: at.tagName,
      name: (at.getAttribute('aria-label') ?? (label || at.textContent || at.title)).trim(),
      isVisible: getComputedStyle(at).outlineStyle !== 'none',
    };
  });

/** Presses Tab until what begins with the name has the focus; it is never lost, and always visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const names: string[] = [];
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at.tag === 'BODY') continue;
    // A frame shows the focus inside.
    if (at.tag !== 'IFRAME') expect(at).toMatchObject({ isVisible: true });
    if (at.name.startsWith(name)) return;
    names.push(at.name.slice(0, 30));
  }
  throw new Error(`no Tab leads to ${name}: ${names.join(' | ')}`);
}

/** What a person does on a screen; there is no pointer. */
export type Step = (page: Page) => Promise<void>;

export const press =
  (name: string, key = 'Enter'): Step =>
  async (page) => {
    await tabTo(page, name);
    await page.keyboard.press(key);
  };

export const type =
  (name: string, text: string): Step =>
  async (page) => {
    await tabTo(page, name);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  };

/** Presses a button that asks once, and says yes. */
export const confirm =
  (name: string): Step =>
  async (page) => {
    await press(name)(page);
    await expect.poll(async () => (await focused(page)).name).toBe('Keep');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
  };

export const key =
  (...keys: string[]): Step =>
  async (page) => {
    for (const one of keys) await page.keyboard.press(one);
  };

/** Waits for what is to be copied. */
export const seeCopy =
  (label: string, text: RegExp): Step =>
  async (page) => {
    await expect.poll(() => page.getByRole('textbox', { name: label, exact: true }).inputValue()).toMatch(text);
  };

export const see =
  (text: string | RegExp): Step =>
  (page) =>
    page.getByText(text).filter({ visible: true }).first().waitFor();
