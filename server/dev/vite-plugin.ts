import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build, isRunnableDevEnvironment } from 'vite';
import type { Plugin, ViteDevServer } from 'vite';
import type { ModuleRunner } from 'vite/module-runner';
import { guides, type GuideName } from '../docs/guides.ts';
import { renderGuide } from '../docs/render.ts';

/** The part of what `boot()` of server/boot.ts returns that development needs. */
interface RunningServer {
  handler: (request: IncomingMessage, response: ServerResponse) => void;
  close: () => Promise<void>;
}

type Write = (words: string) => void;

/** Paths that Vite answers in development; the app answers every other one, so that no source folder shadows a URL. */
const VITE_PATHS = /^\/(?:@|widget\/|node_modules\/|demo\/[\w-]+\.(?:tsx?(?:\?|$)|css\?.*\binline\b))/;

const modules: Record<string, string> = {
  '/embed/panel.js': `export * from '/widget/embed/panel.ts';`,
  '/demo/states.js': `import '/@vite/client'; import '/demo/states.tsx';`,
  '/demo/markdown.js': `import '/@vite/client'; import '/demo/markdown.ts';`,
  '/demo/playground.js': `import '/@vite/client'; import '/demo/playground.ts';`,
  '/demo/preview.js': `import '/@vite/client'; import '/demo/preview.ts';`,
  '/docs/rapidoc.js': `import('/node_modules/rapidoc/dist/rapidoc-min.js');`,
};

/** A guide, rendered as the build does it, or the guides' style sheet; undefined for another path. */
function guide(path: string): Promise<{ type: string; text: string }> | undefined {
  const name = /^\/docs\/([\w.]+)$/.exec(path)?.[1] ?? '';
  const file = (suffix = ''): Promise<string> => readFile(`server/docs/${name}${suffix}`, 'utf8');
  if (name === 'style.css') return file().then((text) => ({ type: 'text/css', text }));
  if (!Object.hasOwn(guides, name)) return undefined;
  return file('.md').then((text) => ({ type: 'text/html', text: renderGuide(name as GuideName, text) }));
}

/** The console's page with its script and style as they stand; undefined for the address of another page or of a file. */
function consolePage(path: string): Promise<string> | undefined {
  if (!/^\/console\/[^.]*$/.test(path) || /^\/console\/(?:preview$|sessions?(?:\/|$))/.test(path)) return undefined;
  const page = readFile('widget/console/index.html', 'utf8');
  return page.then((text) => text.replaceAll('"/console/', '"/widget/console/'));
}

function send(response: ServerResponse, type: string, text: string): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}

const script = (response: ServerResponse, code: string): void => send(response, 'text/javascript', code);

/** The launcher as in production, one classic script, plus Vite's client, which reloads the page. */
async function launcher(): Promise<string> {
  const lib = {
    entry: 'widget/embed/embed.ts',
    formats: ['iife' as const],
    name: 'docentEmbed',
    fileName: (): string => 'embed.js',
  };
  const define = { __DOCENT_PANEL__: '"embed/panel.js"' };
  const options = { configFile: false, logLevel: 'warn', publicDir: false, define } as const;
  const [result] = [await build({ ...options, build: { write: false, minify: false, lib } })].flat();
  if (!result || !('output' in result)) throw new Error('the launcher was not built');
  return `import(new URL('/@vite/client', document.currentScript.src).href);\n${result.output[0].code}`;
}

function runnerOf(server: ViteDevServer): ModuleRunner {
  const environment = server.environments['ssr'];
  if (!environment || !isRunnableDevEnvironment(environment)) throw new Error('no environment runs the server');
  return environment.runner;
}

const writeToTerminal: Write = (words) => void process.stderr.write(words);

/** `npm run dev`: demo, widget and API from one process and port; a change reloads the page, or the server at its next request. */
export function development(): Plugin {
  let running: Promise<RunningServer> | undefined;
  let changed = false;

  async function start(server: ViteDevServer): Promise<RunningServer> {
    const runner = runnerOf(server);
    runner.clearCache();
    const { address, port } = server.httpServer!.address() as AddressInfo;
    const { boot } = await runner.import<{ boot: (env: object) => Promise<RunningServer> }>('/server/boot.ts');
    return boot({ ...process.env, HOST: address, PORT: String(port) });
  }

  /** As at `npm start`: the demo learns its pages from the server that runs. */
  async function greet(server: ViteDevServer, one: RunningServer): Promise<void> {
    const { printWelcome } = await runnerOf(server).import<{
      printWelcome: (one: RunningServer, say: Write) => Promise<void>;
    }>('/server/cli/welcome.ts');
    await printWelcome(one, writeToTerminal);
  }

  /** Closes the old server before it starts another, since the data folder is locked. */
  function app(server: ViteDevServer): Promise<RunningServer> {
    if (!running || changed) {
      changed = false;
      const before = running?.then((old) => old.close()).catch(() => undefined);
      running = Promise.resolve(before).then(() => start(server));
      const started = running;
      // An error at start is logged once, and the next request tries again.
      started.catch(() => (running = undefined));
      started
        .then((one) => greet(server, one))
        .catch((error: unknown) => {
          server.config.logger.error(String(error instanceof Error ? error.stack : error));
        });
    }
    return running;
  }

  return {
    name: 'docent:development',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '/').split('?')[0] ?? '/';
        const code = modules[path];
        const page = guide(path);
        const screen = consolePage(path);
        if (page) page.then(({ type, text }) => send(response, type, text), next);
        else if (screen) screen.then((text) => send(response, 'text/html', text), next);
        else if (VITE_PATHS.test(request.url ?? '')) next();
        else if (code) script(response, code);
        else if (path === '/embed.js') launcher().then((text) => script(response, text), next);
        else app(server).then((one) => one.handler(request, response), next);
      });
      server.httpServer?.once('listening', () => void app(server).catch(() => undefined));
    },
    async closeBundle() {
      const last = await running?.catch(() => undefined);
      running = undefined;
      await last?.close();
    },
    hotUpdate({ file, modules: touched }) {
      if (this.environment.name === 'ssr') changed ||= touched.length > 0;
      else if (/\/(?:widget|demo)\//.test(file)) this.environment.hot.send({ type: 'full-reload' });
      return [];
    },
  };
}
