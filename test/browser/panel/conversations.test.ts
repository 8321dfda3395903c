import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { answers, askQuestion, field, openChat, questions } from '../visitor.ts';
import { browser, server } from './served.ts';

test('a visitor goes back to an earlier conversation by keyboard, downloads it, and deletes it on the server', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const gone: string[] = [];
  page.on('response', (reply) => void (reply.url().endsWith('/delete') && gone.push(`${reply.status()}`)));
  await page.goto(`${server.base}/demo/`);
  await openChat(page);
  const [returns, delivery] = ['Can I return a sale item?', 'How long does delivery take?'];
  await askQuestion(page, returns);
  await answers(page).getByText('45 days').first().waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await askQuestion(page, delivery);
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Conversations' }).press('Enter');
  const list = page.getByRole('dialog', { name: 'Conversations' });
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('title')))
    .toBe('Back to the chat');
  expect(await field(page).isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Conversations' }).click();
  const row = list.getByRole('listitem', { name: returns });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Download as text' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('Conversation.txt');
  expect(await readFile(await file.path(), 'utf8')).toMatch(/Your question: Can I return a sale item\?[^]*45 days/);
  await row.getByRole('button', { name: returns }).click();
  await answers(page).getByText('45 days').first().waitFor();
  expect(await questions(page).allInnerTexts()).toEqual([returns]);
  await page.getByRole('button', { name: 'Conversations' }).click();
  await list.getByRole('button', { name: 'Delete all' }).click();
  await list.getByRole('button', { name: 'Delete all' }).click();
  await list.waitFor({ state: 'detached' });
  expect(gone).toEqual(['200', '200']);
  await page.reload();
  await openChat(page);
  await page.getByRole('heading', { name: 'Hello! How can I help?' }).waitFor();
  expect(await questions(page).count()).toBe(0);
  await page.close();
});
