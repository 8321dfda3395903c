// Makes the README's pictures in demo/pictures: `npm run build && node demo/picture.mjs`. With a folder named, it also writes there
// what every state of the widget looks like in light, dark, from right to left, on a phone, in three colours and in forced ones.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { base, phone, root, save, withDemo } from './picture-tools.mjs';

const computer = { viewport: { width: 1200, height: 860 }, deviceScaleFactor: 1.5 };

/** Of the README: file, page of the demo, question, and how it is looked at. */
const pictures = /** @type {const} */ ([
  ['widget.png', 'returns.html', 'How long do I have to return something?', computer],
  ['dark.png', 'shipping.html', 'Do you ship to Canada?', { ...computer, colorScheme: 'dark' }],
  ['phone.png', 'warranty.html', 'What does the warranty cover?', { ...phone, viewport: { width: 390, height: 760 } }],
]);

/** @param {import('playwright').Browser} browser @param {(typeof pictures)[number]} picture */
async function take(browser, [file, path, question, look]) {
  const page = await browser.newPage(look);
  await page.goto(`${base}/demo/${path}`);
  await page.getByRole('button', { name: 'Open chat' }).click();
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill(question);
  await field.press('Enter');
  // The last marker's card leaves the answer above it in sight.
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await page
    .getByRole('button', { name: /^Source \d/ })
    .last()
    .click();
  await page.mouse.move(0, 0);
  await save(page, join(root, 'demo/pictures', file));
  await page.close();
}

/** Where a state is looked at: the name of the picture, the query of states.html, and how. */
const looks = /** @type {const} */ ([
  ['light', '', {}],
  ['dark', '&scheme=dark', { colorScheme: 'dark' }],
  ['rtl', '&dir=rtl&language=ar', {}],
  ['phone', '', phone],
  ['teal', '&color=%230f766e', {}],
  ['yellow', '&color=%23facc15', {}],
  ['pink', '&color=%23db2777&scheme=dark', { colorScheme: 'dark' }],
  ['forced', '', { forcedColors: 'active' }],
]);

/** @param {import('playwright').Browser} browser @param {string} folder */
async function states(browser, folder) {
  const list = await browser.newPage();
  await list.goto(`${base}/demo/states.html`);
  const names = await list.locator('.scene > h2').allInnerTexts();
  names.push('Launcher');
  await list.close();
  for (const [look, query, options] of looks) {
    const context = await browser.newContext({ viewport: { width: 540, height: 780 }, ...options });
    const page = await context.newPage();
    for (const name of names) {
      await page.goto(`${base}/demo/states.html?scene=${encodeURIComponent(name)}${query}`);
      await context.setOffline(name === 'No network');
      await page.waitForTimeout(name === 'Launcher' ? 2500 : 1200); // its teaser comes after a second
      await save(page, join(folder, `${name.toLowerCase().replace(/\W+/g, '-')}.${look}.png`));
      await context.setOffline(false);
    }
    await context.close();
  }
}

const [folder] = process.argv.slice(2);
await withDemo({}, async (browser) => {
  mkdirSync(join(root, 'demo/pictures'), { recursive: true });
  for (const picture of pictures) await take(browser, picture);
  if (folder) mkdirSync(folder, { recursive: true });
  if (folder) await states(browser, folder);
});
