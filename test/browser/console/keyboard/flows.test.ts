import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';
import { startSite, type Site } from '../site.ts';
import { confirm, key, press, see, seeCopy, tabTo, type, type Step } from './keys.ts';

/** The owner's flows by keyboard alone, in Chromium. Those of sources are beside this file, those of passkeys and tools with theirs. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let site: Site;
beforeAll(async () => {
  site = await startSite();
  [server, browser] = await Promise.all([startBuiltServer({ FETCH_ALLOW: site.host }), launchChromium()]);
  api = apiOf(server);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  site?.close();
});

const QUESTION = 'How long is the warranty of a lamp?';
const UNKNOWN = 'Are pink llamas sold?';

interface Flow {
  flow: string;
  /** Below /console, of a chatbot that has one answer and was asked one question that it cannot answer; `{chatbot}` is its uuid. */
  path: string;
  /** What is there besides. */
  given?: (chatbot: string) => Promise<unknown>;
  steps: Step[];
  /** What is so afterwards. */
  so?: (chatbot: string) => Promise<void>;
}

/** Of the key that this try of the flow makes: keys outlive a chatbot. */
let keyName = '';
const keyRow = (page: Page) => page.getByRole('row').filter({ hasText: keyName });

const typeNow =
  (text: () => string): Step =>
  (page) =>
    page.keyboard.type(text());

const FLOWS: Flow[] = [
  {
    flow: 'make a chatbot from the address of a site, and ask it a first question',
    path: '/',
    steps: [
      (page) => tabTo(page, 'Make a chatbot for your site'),
      typeNow(() => site.url),
      key('Enter'),
      see('50 pages read of 50 found'),
      press('How are'),
      see(/are delivered within \d+ days/),
    ],
  },
  {
    flow: 'answer a gap, take that back, and put the gap away',
    path: '/chatbot/{chatbot}/gaps',
    steps: [
      see(UNKNOWN),
      press('Write the answer yourself'),
      type('Answer to', 'We sell no llamas.'),
      press('Save the answer'),
      see('Your answer is live'),
      press('Undo'),
      see('Write the answer yourself'),
      press('Not ours'),
      see('It is hidden'),
    ],
    async so(chatbot) {
      expect(await api.call('GET', `/chatbot/${chatbot}/gaps`)).toMatchObject({ gaps: [] });
    },
  },
  {
    flow: 'find a conversation, read why it was answered so, and delete it',
    path: '/chatbot/{chatbot}/conversations',
    steps: [
      see(UNKNOWN),
      key('/'),
      typeNow(() => 'llamas'),
      press(UNKNOWN),
      see(/^not known$/),
      press('Why this answer?'),
      see('how the question would be answered now'),
      confirm('Delete this conversation'),
      see('Nothing found so far'),
    ],
    async so(chatbot) {
      expect(await api.call('GET', `/chatbot/${chatbot}/conversations`)).toEqual([]);
    },
  },
  {
    flow: 'ask in the playground and read why it answers so',
    path: '/chatbot/{chatbot}/playground',
    steps: [
      (page) => page.frameLocator('iframe').getByRole('textbox').waitFor(),
      (page) => tabTo(page, 'The chat as visitors see it'),
      async (page) => {
        const inside = () =>
          page.frames()[1]!.evaluate(() => document.querySelector('docent-widget')?.shadowRoot?.activeElement?.tagName);
        for (let presses = 0; presses < 10 && (await inside()) !== 'TEXTAREA'; presses++) await key('Tab')(page);
      },
      typeNow(() => QUESTION),
      key('Enter'),
      see('Who answers'),
      (page) => tabTo(page, 'Keep as a test'),
    ],
  },
  {
    flow: 'make an agent, switch it on, and delete it',
    path: '/chatbot/{chatbot}/agents',
    steps: [
      see('General Q&A'),
      press('Add an agent'),
      type('Name of the new agent', 'Night watch'),
      (page) => tabTo(page, 'What it does'),
      key('ArrowDown'),
      press('Add the agent'),
      see('Night watch'),
    ],
    async so(chatbot) {
      const agents = await api.call<{ name: string }[]>('GET', `/chatbot/${chatbot}/agents`);
      expect(agents.map(({ name }) => name)).toContain('Night watch');
    },
  },
  {
    flow: 'turn a dial, and read what would go elsewhere',
    path: '/chatbot/{chatbot}/agents',
    async given(chatbot) {
      const agent = { name: 'Orders', type: 'user-facing', description: 'Orders and their delivery' };
      const { uuid } = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/agent/create`, agent);
      await api.call('POST', `/agent/${uuid}/update`, { enabled: true });
    },
    steps: [
      see('Who answers more'),
      press('Bias', 'ArrowRight'),
      see(/of the last/),
      press('Save these settings'),
      async (page) => {
        await expect.poll(() => page.getByRole('button', { name: 'Save these settings' }).count()).toBe(0);
      },
    ],
    async so(chatbot) {
      const agents = await api.call<{ meta: object }[]>('GET', `/chatbot/${chatbot}/agents`);
      expect(agents.map(({ meta }) => meta)).toContainEqual(expect.objectContaining({ bias: 0.05 }));
    },
  },
  {
    flow: 'change the words of the widget',
    path: '/chatbot/{chatbot}/widget',
    steps: [see('Colour'), type('Title', 'Ask the lamps'), press('Save'), see('Saved.')],
    async so(chatbot) {
      expect(await api.call('GET', `/chatbot/${chatbot}/widget`)).toMatchObject({ title: 'Ask the lamps' });
    },
  },
  {
    flow: 'invite somebody as operator, and revoke that',
    path: '/chatbot/{chatbot}/people',
    steps: [
      see('Members'),
      type('E-mail address', 'op@shop.example'),
      press('Make a link'),
      seeCopy('Link of the invitation', /#invitation=/),
      confirm('Revoke'),
      see(/^None. Invite somebody above/),
    ],
  },
  {
    flow: 'rename a chatbot',
    path: '/chatbot/{chatbot}/general',
    steps: [see('Export'), type('Name', 'Renamed'), press('Save'), see('Saved.')],
    async so(chatbot) {
      expect(await api.call('GET', `/chatbot/${chatbot}`)).toMatchObject({ name: 'Renamed' });
    },
  },
  {
    flow: 'delete a chatbot',
    path: '/chatbot/{chatbot}/general',
    steps: [
      see('Danger zone'),
      (page) => tabTo(page, 'Type “Keys”'),
      typeNow(() => 'Keys'),
      press('Delete this chatbot'),
      see('Make a chatbot for your site'),
    ],
    async so(chatbot) {
      await expect(api.call('GET', `/chatbot/${chatbot}`)).rejects.toThrow('404');
    },
  },
  {
    flow: 'see the figures of other days, and of each day',
    path: '/chatbot/{chatbot}/today',
    steps: [see('Asked'), press('90'), see('The same figures by day'), press('The same figures by day'), see('Day')],
  },
  {
    flow: 'make a key, revoke it, and sign out',
    path: '/settings',
    steps: [
      see('Where you are signed in'),
      (page) => tabTo(page, 'Name of the new key'),
      typeNow(() => (keyName = `shop ${Date.now()}`)),
      press('Make a key'),
      seeCopy('The new key', /^dk_[\w-]{20}/),
      (page) => keyRow(page).waitFor(),
      confirm('Revoke'),
      async (page) => {
        await expect.poll(() => keyRow(page).count()).toBe(0);
      },
      press('Sign out'),
      see('API key'),
    ],
  },
];

test('sign in by a key', async () => {
  const { page } = await newPage(browser);
  await page.goto(`${server.base}/console/`);
  await see('API key')(page);
  await type('API key', server.key)(page);
  await press('Sign in')(page);
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  await page.context().close();
});

test.each(FLOWS)('$flow', async ({ path, given, steps, so }) => {
  const chatbot = await api.newChatbot('Keys', QUESTION, 'The warranty of a lamp is two years.');
  await api.ask(chatbot, UNKNOWN);
  await given?.(chatbot);
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console${path.replace('{chatbot}', chatbot)}`);
  for (const step of steps) await step(page);
  await so?.(chatbot);
  await page.context().close();
});
