import { launch, type Handle, type Host } from './launch.ts';
import { own } from './browser/own.ts';
import type { Settings } from './browser/settings.ts';

/** The panel's file beside this script, with its hash: Vite puts it in. */
declare const __DOCENT_PANEL__: string;

/** A call as a page may write it down before this script has run: `window.Docent = { q: [['ask', 'Where is it?']] }`. */
type Call = [name: keyof Handle, ...values: unknown[]];

interface Queue {
  push(...calls: Call[]): void;
}

const page = window as { Docent?: Partial<Handle> & { q?: Call[] | Queue } };
const all = own('querySelectorAll');
// A module, or a page that runs scripts in its own way, has no current one. Then it is the tag whose address this very code came
// from: a tag that a policy kept from running must not say where more code comes from.
const script =
  own('currentScript') ??
  [...all<HTMLScriptElement>('script[data-chatbot]')].find(({ src }) => src && Error().stack!.includes(src));

function start({ src, dataset }: HTMLScriptElement | Record<string, undefined>): void {
  const { chatbot, inline, ...settings } = { ...dataset };
  if (!chatbot) return console.error('[docent] embed.js needs data-chatbot');
  // The same chatbot twice is one widget: pages that swap their body run the script again.
  for (const { docent } of all<Host>('docent-widget')) if (docent === chatbot) return;
  const server = new URL('.', src).href;
  // A module that failed to load stays failed under its address, in some browsers for the life of the page.
  let tries = 0;
  const load = <T>(): Promise<T> => import(/* @vite-ignore */ new URL(`${__DOCENT_PANEL__}#${tries++}`, src).href);
  const target = inline ? all(inline)[0] : undefined;
  const { destroy, ...handle } = launch({ server, chatbot, target, settings: settings as Partial<Settings> }, load, {
    createElement: own('createElement'),
    documentElement: own('documentElement'),
  });
  // An element or a frame of that name is none of the page's own.
  const waiting = (Object.hasOwn(page, 'Docent') && page.Docent) || undefined;
  if (waiting?.destroy) return;
  const run = ([name, ...values]: Call): void => (docent[name] as (...values: unknown[]) => void)(...values);
  const docent: Handle & { q: Queue } = {
    ...handle,
    destroy() {
      destroy();
      delete page.Docent;
    },
    q: { push: (...calls) => calls.forEach(run) },
  };
  page.Docent = docent;
  (waiting?.q as Call[] | undefined)?.forEach(run);
}

start((script as HTMLScriptElement | undefined) ?? {});
