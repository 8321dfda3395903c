// Makes the pictures of the console in demo/pictures: `npm run build && node demo/console-picture.mjs`. With a folder named, it also writes
// there what every screen looks like: light, dark and on a phone.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { base, phone, root, save, withDemo } from './picture-tools.mjs';

const key = 'a key for pictures only';
const computer = { viewport: { width: 1200, height: 860 }, deviceScaleFactor: 1.5 };
const looks = /** @type {const} */ ([
  ['light', computer],
  ['dark', { ...computer, colorScheme: 'dark' }],
  ['phone', phone],
]);

/** Of the README and of the console's guide: file, screen, and how it is looked at. */
const pictures = /** @type {const} */ ([
  ['console.png', 'gaps', computer],
  ['console-today.png', 'today', computer],
  ['console-playground.png', 'playground', computer],
  ['console-conversation.png', 'conversation', { ...computer, colorScheme: 'dark' }],
  ['console-sources.png', 'sources', phone],
]);

/** What visitors ask: some the demo's pages answer, some not. */
const questions = [
  'How long do I have to return something?',
  'Do you ship to Canada?',
  'What does the warranty cover?',
  'Can I pay by invoice?',
  'Do you repair umbrellas?',
  'Can I have my initials engraved?',
  'Is engraving possible on the brass handle?',
  'Who pays for the return parcel?',
  'Do you have a shop in Lisbon?',
];

/** @param {string} path from /api/v1 on @param {object} [body] @returns {Promise<any>} */
async function api(path, body) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const reply = await fetch(`${base}/api/v1${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** @param {string} chatbot @param {string} query @returns {Promise<string>} the conversation's uuid */
async function ask(chatbot, query) {
  const reply = await fetch(`${base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return /"uuid":"(\w+)"/.exec(await reply.text())?.[1] ?? '';
}

await withDemo({ API_KEY: key }, async (browser) => {
  const chatbots = await api('/chatbots');
  const chatbot = chatbots[0].uuid;
  const sessions = [];
  for (const query of questions) sessions.push(await ask(chatbot, query));
  const [source] = await api(`/chatbot/${chatbot}/data-sources`);
  const at = `/console/chatbot/${chatbot}`;
  const screens = {
    chatbots: '/console/',
    today: `${at}/today`,
    start: `${at}/start`,
    sources: `${at}/sources`,
    source: `${at}/sources/${source.uuid}`,
    gaps: `${at}/gaps`,
    conversations: `${at}/conversations`,
    conversation: `${at}/conversations/${sessions[0]}`,
    playground: `${at}/playground`,
    agents: `${at}/agents`,
    widget: `${at}/widget`,
    people: `${at}/people`,
    general: `${at}/general`,
    settings: '/console/settings',
  };

  /** @param {import('playwright').Page} page @param {keyof typeof screens} name */
  const show = async (page, name) => {
    await page.goto(base + screens[name]);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    if (name === 'playground') await trace(page);
  };
  /** @param {import('playwright').BrowserContextOptions} look */
  const signedIn = async (look) => {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    await page.goto(`${base}/console/`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    return page;
  };

  for (const [file, name, look] of pictures) {
    const page = await signedIn(look);
    await show(page, name);
    await save(page, join(root, 'demo/pictures', file));
    await page.context().close();
  }

  const [folder] = process.argv.slice(2);
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  for (const [look, options] of looks) {
    const seen = await signedIn(options);
    for (const name of /** @type {(keyof typeof screens)[]} */ (Object.keys(screens))) {
      await show(seen, name);
      await save(seen, join(folder, `${name}.${look}.png`));
    }
    await seen.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await seen.getByLabel('API key').waitFor();
    await save(seen, join(folder, `sign-in.${look}.png`));
    await seen.context().close();
  }
});

/** @param {import('playwright').Page} page */
async function trace(page) {
  const field = page.frameLocator('iframe').getByRole('textbox', { name: 'Your question' });
  await field.fill(questions[0] ?? '');
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Who answers' }).waitFor();
}
