import { launch, type Handle, type Host } from '../launch.ts';
import { documentMember } from './document-member.ts';
import type { Settings } from '../browser/settings.ts';

/** The panel's file beside this script, with its hash: Vite puts it in. */
declare const __DOCENT_PANEL__: string;

/** A call as a page may write it down before this script has run: `window.Docent = { q: [['ask', 'Where is it?']] }`. */
type Call = [name: keyof Handle, ...values: unknown[]];

interface CallQueue {
  push(...calls: Call[]): void;
}

const global = window as { Docent?: Partial<Handle> & { q?: Call[] | CallQueue } };
const queryAll = documentMember('querySelectorAll');
// A module, or a page that runs scripts in its own way, has no current one. Then it is the tag whose address this very code came
// from: a tag that a policy kept from running must not say where more code comes from.
const script =
  documentMember('currentScript') ??
  [...queryAll<HTMLScriptElement>('script[data-chatbot]')].find(({ src }) => src && Error().stack!.includes(src));

function start({ src, dataset }: HTMLScriptElement | Record<string, undefined>): void {
  const { chatbot, inline, ...settings } = { ...dataset };
  if (!chatbot) return console.error('[docent] embed.js needs data-chatbot');
  // The same chatbot twice is one widget: pages that swap their body run the script again.
  for (const { docent } of queryAll<Host>('docent-widget')) if (docent === chatbot) return;
  const server = new URL('.', src).href;
  // A module that failed to load stays failed under its address, in some browsers for the life of the page.
  let tries = 0;
  const load = <T>(): Promise<T> => import(/* @vite-ignore */ new URL(`${__DOCENT_PANEL__}#${tries++}`, src).href);
  const target = inline ? queryAll(inline)[0] : undefined;
  const { destroy, ...handle } = launch({ server, chatbot, target, settings: settings as Partial<Settings> }, load, {
    createElement: documentMember('createElement'),
    documentElement: documentMember('documentElement'),
  });
  // An element or a frame of that name is none of the page's own.
  const existing = (Object.hasOwn(global, 'Docent') && global.Docent) || undefined;
  if (existing?.destroy) return;
  const run = ([name, ...values]: Call): void => (docent[name] as (...values: unknown[]) => void)(...values);
  const docent: Handle & { q: CallQueue } = {
    ...handle,
    destroy() {
      destroy();
      delete global.Docent;
    },
    q: { push: (...calls) => calls.forEach(run) },
  };
  global.Docent = docent;
  (existing?.q as Call[] | undefined)?.forEach(run);
}

start((script as HTMLScriptElement | undefined) ?? {});
