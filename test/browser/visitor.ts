import type { Locator, Page } from 'playwright';

/** What a visitor does with the chat, and sees of it. */

export const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Your question' });
export const answers = (page: Page): Locator => page.getByRole('group', { name: 'Answer', exact: true });
export const questions = (page: Page): Locator => page.getByRole('group', { name: 'Your question' });
export const log = (page: Page): Locator => page.getByRole('log', { name: 'Conversation' });

export const marker = (page: Page): Locator =>
  answers(page)
    .last()
    .getByRole('button', { name: /^Source 1/ })
    .first();

export async function openChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open chat' }).click();
  await field(page).waitFor();
}

export async function askQuestion(page: Page, query: string): Promise<void> {
  await field(page).fill(query);
  await field(page).press('Enter');
}

/** The words `word0 word1 …` that the last answer has, once it has any, or once it has this one. */
export async function wordsOf(page: Page, last?: number): Promise<number[]> {
  const text = answers(page).last();
  await text
    .getByText(last === undefined ? /word\d/ : new RegExp(`word${last}\\b`))
    .first()
    .waitFor();
  return [...(await text.innerText()).matchAll(/word(\d+)/g)].map(([, number]) => Number(number));
}

/** An answer of so many words, in pieces as a model sends them, with a passage of the demo's cited at its end. */
export const wordAnswer = (count: number, pace: number): { pieces: string[]; pace: number } => ({
  pieces: [
    ...Array.from({ length: count }, (_, index) => `word${index}${index % 30 === 29 ? '.\n\n' : ' '}`),
    '. You have 45 days to return something you bought from us',
    ' [1]',
  ],
  pace,
});

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
