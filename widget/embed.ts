import { launch, type Handle } from './launch.ts';

/** The panel's file beside this script, with its hash: Vite puts it in. */
declare const __DOCENT_PANEL__: string;

/** A call as a page may write it down before this script has run: `window.Docent = { q: [['ask', 'Where is it?']] }`. */
type Call = [name: keyof Handle, ...values: unknown[]];

interface Queue {
  q: Pick<Call[], 'push'>;
}

const page = window as { Docent?: Partial<Handle> & { q?: Call[] | Queue['q'] } };

function start({ src, dataset }: HTMLScriptElement, chatbot: string): void {
  // The same chatbot twice is one widget: pages that swap their body run the script again.
  if (document.querySelector(`[data-docent="${chatbot}"]`)) return;
  const server = new URL('.', src).href;
  // A module that failed to load stays failed under its address, in some browsers for the life of the page.
  let tries = '';
  const load = <T>(): Promise<T> => {
    const { href } = new URL(__DOCENT_PANEL__ + tries, src);
    tries += '#';
    return import(/* @vite-ignore */ href);
  };
  const { inline, ...settings } = dataset;
  const target = inline && document.querySelector(inline);
  const handle = launch({ server, chatbot, target: target || undefined, settings: settings as object }, load, () => {
    if (page.Docent === handle) delete page.Docent;
  });
  const run = ([name, ...values]: Call): void => (handle[name] as (...values: unknown[]) => unknown)(...values) as void;
  const waiting = page.Docent;
  if (waiting?.destroy) return;
  page.Docent = Object.assign<Handle, Queue>(handle, { q: { push: (...calls) => calls.forEach(run) as never } });
  (waiting?.q as Call[] | undefined)?.forEach?.(run);
}

const script = (document.currentScript ?? document.querySelector('script[data-chatbot]')) as HTMLScriptElement | null;
const chatbot = script?.dataset.chatbot;

if (script && chatbot) start(script, chatbot);
else console.error('[docent] embed.js needs data-chatbot');
