import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Session } from './webdriver.ts';

const PREFERENCES = {
  'marionette.port': 0,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'app.update.disabledForTesting': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.tabs.remote.separatePrivilegedContentProcess': false,
  'focusmanager.testmode': true,
};
const START_MS = 60_000;
/** Commands whose names begin otherwise there. */
const PREFIX = 'WebDriver:';

/**
 * Starts Firefox with a profile of its own and drives it by Marionette, the protocol that geckodriver speaks to it: WebDriver's
 * commands as JSON, `length:[0, id, command, parameters]`, over TCP.
 */
export async function startFirefox(path: string): Promise<Session> {
  const profile = await mkdtemp(join(tmpdir(), 'docent-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const browser = spawn(path, ['--marionette', '--headless', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile },
  });
  const ended = once(browser, 'close');
  const end = async (): Promise<void> => {
    browser.kill();
    await ended;
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const port = await portOf(profile, () => browser.exitCode !== null);
    const socket = connect(port, '127.0.0.1');
    const send = commandsOver(socket);
    await once(socket, 'connect');
    const { capabilities } = await send<{ capabilities: { browserVersion: string } }>('NewSession', {});
    return {
      name: `Firefox ${capabilities.browserVersion}`,
      send: send as Session['send'],
      async close() {
        socket.destroy();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function portOf(profile: string, hasEnded: () => boolean): Promise<number> {
  for (const until = Date.now() + START_MS; Date.now() < until;) {
    const port = Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => ''));
    if (port > 0) return port;
    if (hasEnded()) throw new Error('Firefox ended at its start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Firefox did not open its port');
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function commandsOver(socket: Socket): <T>(command: Command | 'NewSession', parameters?: object) => Promise<T> {
  const waiting = new Map<number, Waiting>();
  let [received, last] = [Buffer.alloc(0), 0];
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    for (;;) {
      const colon = received.indexOf(':');
      const length = colon < 0 ? NaN : Number(received.subarray(0, colon).toString());
      if (!(received.length >= colon + 1 + length)) return;
      const message: unknown = JSON.parse(received.subarray(colon + 1, colon + 1 + length).toString());
      received = received.subarray(colon + 1 + length);
      // The first message is the server's greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message as [1, number, { error: string; message: string } | null, unknown];
      const one = waiting.get(id);
      waiting.delete(id);
      if (error) one?.reject(new Error(`${error.error}: ${error.message}`));
      else one?.resolve(isValue(result) ? result.value : result);
    }
  });
  socket.on('close', () => waiting.forEach(({ reject }) => reject(new Error('Firefox closed the connection'))));
  return (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      const message = JSON.stringify([0, id, PREFIX + command, parameters]);
      socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
}

const isValue = (result: unknown): result is { value: unknown } =>
  typeof result === 'object' && result !== null && Object.keys(result).join() === 'value';
