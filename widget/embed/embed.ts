import { launch, type Handle, type Host, type LaunchedHandle } from './launcher.ts';
import { documentMember } from './document-member.ts';
import type { Settings } from '../browser/settings.ts';

/** Path of the panel's hashed file, relative to this script; replaced by the build. */
declare const __DOCENT_PANEL__: string;

/** A call queued by the page before this script has run: `(window.Docent ??= { q: [] }).q.push(['ask', 'Where is it?'])`. */
type Call = [name: keyof Handle, ...values: unknown[]];

interface CallQueue {
  forEach?: undefined;
  push(...calls: Call[]): void;
}

const global = window as { Docent?: Partial<LaunchedHandle> & { q?: { forEach?: Call[]['forEach'] } } };
const queryAll = documentMember('querySelectorAll');
// currentScript is null in a module and where a framework inserts scripts. Then it is the tag whose address is in this code's stack
// trace: a tag that the page's Content Security Policy blocked must not decide where code is loaded from.
const script =
  documentMember('currentScript') ??
  [...queryAll<HTMLScriptElement>('script[data-chatbot]')].find(({ src }) => src && Error().stack!.includes(src));

function start({ src, dataset = {} }: Partial<HTMLScriptElement> = {}): void {
  const { chatbot, inline, ...settings } = dataset;
  if (!chatbot) return console.error('[docent] no data-chatbot');
  // Pages that swap their body (Turbo, htmx) run the script again: keep the widget that is there.
  if ([...queryAll<Host>('docent-widget')].find((host) => host.docent === chatbot)) return;
  // Some browsers cache a failed module import under its URL until the page unloads: each try has another fragment.
  let tries = 0;
  const load = <T>(): Promise<T> =>
    import(/* @vite-ignore */ new URL(`${__DOCENT_PANEL__}#${tries++}`, src) as unknown as string);
  const target = (inline && queryAll(inline)[0]) as Element | undefined;
  const handle = launch(
    { server: `${new URL('.', src)}`, chatbot, target, settings: settings as Partial<Settings> },
    load,
  );
  // hasOwn: an element or frame named Docent would appear as window.Docent, too.
  const existing = (Object.hasOwn(global, 'Docent') && global.Docent) as typeof global.Docent;
  if (existing?.host?.isConnected) return;
  // Its body was swapped, and its chat with that.
  existing?.destroy?.();
  const run = ([name, ...values]: Call): void => (docent[name] as (...values: unknown[]) => void)(...values);
  const docent: LaunchedHandle & { q: CallQueue } = {
    ...handle,
    destroy() {
      handle.destroy();
      delete global.Docent;
    },
    q: { push: (...calls) => calls.forEach(run) },
  };
  global.Docent = docent;
  // That of an earlier widget has `push` alone.
  existing?.q?.forEach?.(run);
}

start(script as HTMLScriptElement | undefined);
