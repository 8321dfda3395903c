import type { Chat } from './chat/types.ts';
import type { Events } from './chat/turn.ts';
import type { OpenedPanel, openPanel } from './panel.tsx';
import type { Context, Settings } from './browser/settings.ts';
import type { Words } from './words/en.ts';
import { launcherWords } from './words/launcher.ts';

export interface Options {
  /** The address of the Docent server, as `https://chat.example.org`. */
  server: string;
  /** The chatbot's uuid. */
  chatbot: string;
  /** Shows the chat inside this element, always open, instead of behind a launcher in the corner. */
  target?: Element | null | undefined;
  /** Sentences of your own in place of the English ones. */
  words?: Partial<Words> | undefined;
  /** Looks and manners; they win over those that the server keeps for the chatbot. */
  settings?: Partial<Settings> | undefined;
  /** What the answer may lean on; sent with each question, and only where it is given; the first of a conversation settles it. */
  context?: Context | undefined;
}

/** The hand that the page holds. Calls made before the panel has arrived are kept and made in their order. */
export interface Handle {
  open(): void;
  close(): void;
  /** Opens the chat and asks. */
  ask(query: string): void;
  /** Listens; returns the function that ends it. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  /** Takes everything away: nodes, listeners, timers. */
  destroy(): void;
}

/** The element that it all stands in; no markup can say whose it is. */
export type Host = HTMLElement & { docent?: string };

export type LoadPanel = () => Promise<{ openPanel: typeof openPanel }>;

// Kept small by hand: a page loads these words before anybody opens the chat. The host is a line along the window's end;
// what stands on it, the panel too, stands where the page's direction and the owner want it. The icon is a shape, not a
// picture, so that no policy on images applies to it. On the owner's colour stands black or white, whichever can be read.
const STYLE = `:host{all:initial!important;position:fixed!important;inset:auto var(--docent-offset,20px) var(--docent-offset,20px)!important;z-index:var(--docent-z,2147483000)!important;display:grid!important;align-content:end!important;justify-items:var(--docent-position,end)!important;height:0!important}@media print{:host{display:none!important}}.l{display:var(--docent-icon);padding:14px;border:1px solid #0000;border-radius:9em;color:var(--docent-on-color,lab(from var(--docent-color,#4048c9) calc((50 - l)*1e6) 0 0));background:var(--docent-color,#4048c9);box-shadow:0 6px 20px #0005}.l:before{content:"";float:inline-start;border:13px solid;clip-path:path("M3 18A12 10 0 1 1 9 21l-7 3z")}`;

/** Settings for which the panel comes without being called; the page comes first. */
const PRELOAD_SETTINGS = /open|label|icon|teaser|^set/;
const PRELOAD_DELAY_MS = 999;

/**
 * Puts the launcher on the page; the panel is loaded when somebody comes near it. `page` has those members of the document that an
 * element of the page must not stand in for.
 */
export function launch(
  { target, ...options }: Options,
  load: LoadPanel,
  page: Pick<Document, 'createElement' | 'documentElement'> = document,
): Handle {
  const settings = options.settings as Record<string, string> | undefined;
  const { open, unloadable } = { ...launcherWords, ...options.words };
  const host: Host = page.createElement('docent-widget');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const button = page.createElement('button');
  const calls: ((chat: Chat) => void)[] = [];
  let panel: OpenedPanel | undefined;
  let loading: Promise<void> | undefined;
  let isDestroyed: boolean | undefined;
  let preloadTimer: ReturnType<typeof setTimeout> | undefined;

  const preload = (): Promise<void> =>
    (loading ??= load().then(
      ({ openPanel }) => {
        if (isDestroyed) return;
        panel = openPanel(root, { ...options, button: target ? undefined : button });
        calls.forEach(whenLoaded);
      },
      (fault: unknown) => {
        console.error('[docent] server up?', fault);
        button.title = unloadable;
        loading = undefined;
      },
    ));
  const whenLoaded = (act: (chat: Chat) => void): void => {
    if (panel) return act(panel.chat);
    calls.push(act);
    void preload();
  };

  const handle: Handle = {
    open: () => whenLoaded((chat) => chat.open()),
    close: () => whenLoaded((chat) => chat.close()),
    ask: (query) => whenLoaded((chat) => chat.ask(query)),
    on(name, listener) {
      const forward = ({ detail }: CustomEventInit): void => listener(detail);
      host.addEventListener(name, forward);
      return () => host.removeEventListener(name, forward);
    },
    destroy() {
      isDestroyed = true;
      clearTimeout(preloadTimer);
      removeEventListener('click', openFromPage, true);
      host.remove();
      panel?.destroy();
      panel = undefined;
    },
  };
  const openFromPage = ({ target }: Event): void => {
    if ((target as Element).closest?.('[data-docent-open]')) handle.open();
  };

  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  host.docent = options.chatbot;
  for (const name in settings) {
    // A scheme of `auto` is the page's: the style sheet's own default.
    if (settings[name] !== 'auto')
      host.style.setProperty(
        `--docent-${name[0] === 'z' ? 'z' : name}`,
        settings[name] + (/offset|radius/.test(name) ? 'px' : ''),
      );
    if (PRELOAD_SETTINGS.test(name)) preloadTimer ??= setTimeout(preload, PRELOAD_DELAY_MS);
  }
  if (target) {
    host.dataset.inline = '';
    handle.open();
  } else {
    button.className = 'l';
    button.title = open;
    button.onpointerenter = button.onfocus = preload;
    button.onclick = handle.open;
    root.append(button);
    addEventListener('click', openFromPage, true);
  }
  (target ?? page.documentElement).append(host);
  return handle;
}
