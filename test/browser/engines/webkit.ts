import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../built-server.ts';
import type { Command, Session } from './webdriver.ts';

const START_MS = 60_000;

/** https://www.w3.org/TR/webdriver2/#endpoints, below `/session/{id}`. */
const ENDPOINTS: Record<Command, [method: 'GET' | 'POST' | 'DELETE', path: string]> = {
  Navigate: ['POST', 'url'],
  ExecuteScript: ['POST', 'execute/sync'],
  PerformActions: ['POST', 'actions'],
  ReleaseActions: ['DELETE', 'actions'],
  SetWindowRect: ['POST', 'window/rect'],
  NewWindow: ['POST', 'window/new'],
  GetWindowHandle: ['GET', 'window'],
  SwitchToWindow: ['POST', 'window'],
  SwitchToFrame: ['POST', 'frame'],
};

/** Starts WebKitGTK's driver, and by it a browser, on a display of their own. */
export async function startWebKit({ driver, browser, display }: WebKitFiles): Promise<Session> {
  const home = await mkdtemp(join(tmpdir(), 'docent-webkit-'));
  const children: [ChildProcess, Promise<unknown>][] = [];
  const start = (path: string, args: string[], env = {}): ChildProcess => {
    const child = spawn(path, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, ...env },
    });
    children.unshift([child, once(child, 'close')]);
    return child;
  };
  const end = async (): Promise<void> => {
    for (const [child, ended] of children) {
      child.kill();
      await ended;
    }
    await rm(home, { recursive: true, force: true });
  };
  try {
    const screen = start(display, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp']);
    const [number] = (await once(screen.stdio[3]!, 'data', { signal: AbortSignal.timeout(START_MS) })) as [Buffer];
    const port = await freePort();
    const DISPLAY = `:${number.toString().trim()}`;
    start(driver, [`--port=${port}`], { DISPLAY, LIBGL_ALWAYS_SOFTWARE: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1' });
    const base = `http://127.0.0.1:${port}/session`;
    const options = { binary: browser, args: ['--automation'] };
    const capabilities = { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } };
    const created = await retry(() => call<Created>('POST', base, { capabilities }));
    const send: Session['send'] = (command, parameters) => {
      const [method, path] = ENDPOINTS[command];
      return call(method, `${base}/${created.sessionId}/${path}`, parameters);
    };
    return {
      name: `WebKitGTK ${created.capabilities.browserVersion}`,
      hasPointsOfWindow: true,
      send,
      async close() {
        await call('DELETE', `${base}/${created.sessionId}`).catch(() => {});
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

export interface WebKitFiles {
  driver: string;
  browser: string;
  /** Xvfb. */
  display: string;
}

interface Created {
  sessionId: string;
  capabilities: { browserVersion: string };
}

async function call<T>(method: string, url: string, body?: object): Promise<T> {
  const reply = await fetch(url, {
    method,
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } } : {}),
  });
  const { value } = (await reply.json()) as { value: T & { error?: string; message?: string } };
  if (!reply.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** Until the driver listens. */
async function retry<T>(act: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + START_MS; ;) {
    try {
      return await act();
    } catch (error) {
      const isRefused = error instanceof TypeError;
      if (!isRefused || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
