import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiOf } from '../console/api.ts';
import { loginLink } from '../console/console.ts';
import { startBuiltServer, until, type BuiltServer } from '../built-server.ts';
import { KEYS, type Driver } from './driver.ts';
import { findEngines } from './find-engines.ts';

/** An owner's whole way through the console in the engines that its other tests do not drive; REQUIRE_ENGINES as in engines.test.ts. */

const GAP = 'Do you sell pink llamas?';

let server: BuiltServer;
beforeAll(async () => void (server = await startBuiltServer()));
afterAll(() => server?.stop());

interface Place {
  x: number;
  y: number;
}

/** The middle of the first element that is shown, matches, and has the text; nothing where something covers it. */
function find(selector: string, text: string): Place | undefined {
  const found = Array.from(document.querySelectorAll<HTMLElement>(selector)).find(
    (one) => one.getClientRects().length > 0 && one.textContent.includes(text),
  );
  found?.scrollIntoView({ block: 'center' });
  const { x = 0, y = 0, width = 0, height = 0 } = found?.getBoundingClientRect() ?? {};
  const place = { x: x + Math.min(width, 60) / 2, y: y + height / 2 };
  return found?.contains(document.elementFromPoint(place.x, place.y)) ? place : undefined;
}

/** Notes what goes wrong in the page from now on: the drivers of these engines tell nothing of it. */
function watch(): void {
  const faults: string[] = ((window as unknown as { faults: string[] }).faults = []);
  addEventListener('error', (event) => faults.push(`error: ${event.message}`));
  addEventListener('unhandledrejection', ({ reason }) => faults.push(`rejection: ${String(reason)}`));
  addEventListener('securitypolicyviolation', (event) =>
    faults.push(`policy: ${event.effectiveDirective} ${event.blockedURI}`),
  );
  for (const level of ['error', 'warn'] as const)
    console[level] = (...said) => void faults.push(`${level}: ${said.map(String).join(' ')}`);
}

for (const { name, start, isOptional } of findEngines().filter((one) => !one.name.startsWith('Chromium'))) {
  if (!start && (isOptional || process.env['REQUIRE_ENGINES'] !== '1')) {
    test.skip(`${name} is not installed: its tests are left out`, () => {});
    continue;
  }
  describe(name, () => {
    let driver: Driver;
    beforeAll(async () => {
      if (!start) throw new Error(`REQUIRE_ENGINES=1, but ${name} is not installed`);
      driver = await start();
      await driver.resize(1200, 900);
    }, 120_000);
    afterAll(() => driver?.close());

    async function see(selector: string, text: string): Promise<Place> {
      let place: Place | undefined;
      await until(async () => (place = (await driver.run(find, selector, text)) ?? undefined) !== undefined).catch(
        async (error: Error) => {
          const shown = await driver.run(() => document.body.innerText.slice(0, 2000));
          throw new Error(`${selector} “${text}”: ${error.message}; there is ${shown}`);
        },
      );
      return place!;
    }
    async function press(selector: string, text: string): Promise<void> {
      const { x, y } = await see(selector, text);
      await driver.click(x, y);
    }
    /** Waits until the screen is whole, and expects that nothing went wrong. */
    async function expectScreen(title: string): Promise<void> {
      await see('h1', title);
      await until(() => driver.run(() => !document.querySelector('main .loading, main [aria-disabled=true]')));
      const [faults, failures] = await driver.run(() => [
        (window as unknown as { faults: string[] }).faults,
        Array.from(document.querySelectorAll('main .failed'), (one) => one.textContent),
      ]);
      expect({ title, faults, failures }).toEqual({ title, faults: [], failures: [] });
    }
    const signOut = async (): Promise<void> => {
      await press('nav a', 'Settings');
      await press('main button', 'Sign out');
      await expectScreen('Sign in to Docent');
    };

    test('an owner signs in by key, opens every screen, answers a gap and signs out', async () => {
      const api = apiOf(server);
      const chatbot = await api.newChatbot('Lamps', 'What is a lamp?', 'A lamp gives light.');
      await api.ask(chatbot, 'What is a lamp?');
      await api.ask(chatbot, GAP);
      await driver.goto(`${server.base}/console/chatbot/${chatbot}/today`);
      await driver.run(watch);
      await press('input[name=key]', '');
      await driver.type(server.key + KEYS.Enter);
      await expectScreen('Today');

      const links = await driver.run(() =>
        Array.from(document.querySelectorAll('nav ul ul a'), (one) => one.textContent.trim()),
      );
      expect(links).toHaveLength(10);
      for (const link of links) {
        await press('nav ul ul a', link);
        await expectScreen(link);
      }
      await press('main a', 'Who changed what');
      await expectScreen('Audit log');
      await press('nav ul ul a', 'Sources');
      await press('main a', 'What is a lamp?');
      await expectScreen('What is a lamp?');
      await press('nav ul ul a', 'Conversations');
      await press('main a', GAP);
      await see('main [role=region], main section', 'Delete this conversation');
      await expectScreen('Conversations');

      await press('nav ul ul a', 'Gaps');
      await press('summary', 'Write the answer yourself');
      await press('textarea[name=answer]', '');
      await driver.type('No, blue ones alone.');
      await press('button', 'Save the answer');
      await see('[role=status]', 'Your answer is live');
      const session = await api.ask(chatbot, GAP);
      expect(await api.call('GET', `/session/${session}/messages`)).toMatchObject([
        { response: expect.stringContaining('No, blue ones alone.') },
      ]);
      await expectScreen('Gaps');

      await press('nav a', 'Settings');
      await expectScreen('Settings');
      await press('main a', 'Audit log of your account');
      await expectScreen('Audit log');
      await press('nav a', 'Chatbots');
      await expectScreen('Chatbots');
      await signOut();
    }, 180_000);

    test('an owner signs in by link, and signs out', async () => {
      await driver.goto('about:blank');
      await driver.goto(await loginLink(server));
      await driver.run(watch);
      await expectScreen('Chatbots');
      expect(await driver.run(() => location.href)).toBe(`${server.base}/console/`);
      await signOut();
    });
  });
}
