import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { startChromium } from './chromium.ts';
import type { Driver } from './driver.ts';
import { startFirefox } from './firefox.ts';
import { driverOf } from './webdriver.ts';
import { startWebKit } from './webkit.ts';

interface Engine {
  name: string;
  /** Undefined where it is not installed. */
  start?: () => Promise<Driver>;
  /** Missing, it is left out also where all engines are required: Debian does not have it. */
  isOptional?: boolean;
}

const LIBRARIES = '/usr/lib';

/**
 * The engines that browsers have. Installs nothing: Debian has them as `chromium`, `firefox-esr`, `webkit2gtk-driver` and `xvfb`. The
 * oldest Chromium that the widget supports is the one that OLD_CHROMIUM_PATH names: `.ci/run` unpacks it from an npm package.
 */
export function findEngines(): Engine[] {
  const firefox = process.env['FIREFOX_PATH'] || onPath('firefox-esr') || onPath('firefox');
  const old = process.env['OLD_CHROMIUM_PATH'];
  const [driver, display, browser] = [onPath('WebKitWebDriver'), onPath('Xvfb'), miniBrowser()];
  return [
    { name: 'Chromium', start: () => startChromium() },
    { name: 'Chromium 117 (OLD_CHROMIUM_PATH)', isOptional: true, ...(old ? { start: () => startChromium(old) } : {}) },
    { name: 'Firefox', ...(firefox ? { start: async () => driverOf(await startFirefox(firefox)) } : {}) },
    {
      name: 'WebKit',
      ...(driver && display && browser
        ? { start: async () => driverOf(await startWebKit({ driver, display, browser })) }
        : {}),
    },
  ];
}

const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

/** WebKitGTK's own browser, the newest one: `/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser`. */
function miniBrowser(): string | undefined {
  const folders = foldersIn(LIBRARIES).flatMap((machine) =>
    foldersIn(machine).filter((folder) => folder.includes('/webkit')),
  );
  return folders
    .map((folder) => join(folder, 'MiniBrowser'))
    .filter(isExecutable)
    .at(-1);
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
