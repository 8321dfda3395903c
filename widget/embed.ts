import { launch, type Handle } from './launch.ts';
import { readSettings } from './settings.ts';

/** The panel's file beside this script, with its hash: Vite puts it in. */
declare const __DOCENT_PANEL__: string;

/** A call as a page may write it down before this script has run: `window.Docent = { q: [['ask', 'Where is it?']] }`. */
type Call = [name: keyof Handle, ...values: unknown[]];

interface Queue {
  push(...calls: Call[]): void;
}

const page = window as { Docent?: Partial<Handle> & { q?: Call[] | Queue } };
const script = document.currentScript ?? document.querySelector('script[data-chatbot]');

function start({ src, attributes }: HTMLScriptElement): void {
  const { chatbot, inline, ...settings } = readSettings(attributes);
  if (!chatbot) return console.error('[docent] embed.js needs data-chatbot');
  // The same chatbot twice is one widget: pages that swap their body run the script again.
  if (document.querySelector(`[data-docent="${chatbot}"]`)) return;
  const server = new URL('.', src).href;
  // A module that failed to load stays failed under its address, in some browsers for the life of the page.
  let tries = 0;
  const load = <T>(): Promise<T> => import(/* @vite-ignore */ `${new URL(__DOCENT_PANEL__, src)}#${tries++}`);
  const target = inline ? document.querySelector(inline) : undefined;
  const { destroy, ...handle } = launch({ server, chatbot, target, settings }, load);
  const waiting = page.Docent;
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

start(script as HTMLScriptElement);
