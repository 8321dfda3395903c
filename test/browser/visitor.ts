import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';

/** Locators and actions of a visitor in the chat. */

export const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Your question' });
export const answers = (page: Page): Locator => page.getByRole('group', { name: 'Answer', exact: true });
export const questions = (page: Page): Locator => page.getByRole('group', { name: 'Your question' });
export const log = (page: Page): Locator => page.getByRole('log', { name: 'Conversation' });

export const marker = (page: Page): Locator =>
  answers(page)
    .last()
    .getByRole('button', { name: /^Source 1/ })
    .first();

/** Opens the chat, unless it stays open in this tab. */
export async function openChat(page: Page): Promise<void> {
  const isOpen = (): boolean => Object.values({ ...sessionStorage }).some((stored) => stored.includes('"open":true'));
  if (!(await page.evaluate(isOpen).catch(() => false))) await page.getByRole('button', { name: 'Open chat' }).click();
  await field(page).waitFor();
}

export async function askQuestion(page: Page, query: string): Promise<void> {
  await field(page).fill(query);
  await field(page).press('Enter');
}

/** The numbers of the words `word0 word1 …` in the last answer, as soon as it has any, or has `word<last>`. */
export async function wordNumbers(page: Page, last?: number): Promise<number[]> {
  const text = answers(page).last();
  await text
    .getByText(last === undefined ? /word\d/ : new RegExp(`word${last}\\b`))
    .first()
    .waitFor();
  return [...(await text.innerText()).matchAll(/word(\d+)/g)].map(([, number]) => Number(number));
}

/** A model's answer of `count` words with a citation of the demo's returns page at its end; `pace`: ms between pieces. */
export const wordAnswer = (count: number, pace: number): { pieces: string[]; pace: number } => ({
  pieces: [
    ...Array.from({ length: count }, (_, index) => `word${index}${index % 30 === 29 ? '.\n\n' : ' '}`),
    '. We reply with a return label by the end of the next working day',
    ' [1]',
  ],
  pace,
});

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/**
 * Clicks the button until the locator is visible. A page that replaces the button meanwhile can swallow a click: the playground's
 * preview replaces its widget after each change, RapiDoc its operations when its document or key changes.
 */
export async function clickUntil(button: Locator, expected: Locator): Promise<void> {
  const isShown = (timeout: number): Promise<boolean> =>
    expected
      .first()
      .waitFor({ timeout })
      .then(
        () => true,
        () => false,
      );
  await expect
    .poll(async () => (await isShown(100)) || (await button.click({ timeout: 5000 }), isShown(5000)), {
      timeout: 60_000,
    })
    .toBe(true);
}
