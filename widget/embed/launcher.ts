import type { Chat } from '../chat/types.ts';
import type { Events } from '../chat/turn.ts';
import type { OpenedPanel, openPanel } from '../panel.tsx';
import type { Context, Settings } from '../browser/settings.ts';
import type { Words } from '../words/en.ts';
import { documentMember } from './document-member.ts';
import { OPEN, UNLOADABLE } from '../words/launcher.ts';

export interface Options {
  /** The address of the Docent server, as `https://chat.example.org`. */
  server: string;
  /** The chatbot's uuid. */
  chatbot: string;
  /** Shows the chat inside this element, always open, instead of behind a launcher in the corner. */
  target?: Element | null | undefined;
  /** Texts that replace the widget's own, by the names of `Words`. */
  words?: Partial<Words> | undefined;
  /** Settings; they override those stored on the server for the chatbot. */
  settings?: Partial<Settings> | undefined;
  /** Sent with each question, where given; the server uses that of a conversation's first question. */
  context?: Context | undefined;
}

/** Public handle of one widget. Calls made before the panel is loaded are queued and run in order. */
export interface Handle {
  open(): void;
  close(): void;
  /** Opens the chat and sends a question. */
  ask(query: string): void;
  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  /** Removes the widget with its nodes, listeners and timers. */
  destroy(): void;
}

/** The widget's host element. The chatbot's uuid is a property, which markup cannot set. */
export type Host = HTMLElement & { docent?: string };

export interface LaunchedHandle extends Handle {
  host: Host;
}

export type LoadPanel = () => Promise<{ openPanel: typeof openPanel }>;

// Minified by hand: part of the launcher, which every page view loads (1,500 bytes gzip). The host is a line of no height at the
// window's end; the button, and later the panel, are aligned on it by direction and `position`. The icon is a clip path, to which no
// img-src policy applies. The text on the owner's colour is black or white by the colour's lightness; the panel's style darkens what is between.
const STYLE = `:host{all:initial!important;position:fixed!important;inset:auto var(--docent-offset,20px) var(--docent-offset,20px)!important;z-index:var(--docent-z,2000000000)!important;display:grid!important;align-content:end!important;justify-items:var(--docent-position,end)!important;height:0!important}@media print{:host{display:none!important}}.l{display:var(--docent-icon);padding:14px;border:1px solid #0000;border-radius:9em;color:var(--docent-on-color,lab(from var(--docent-color,#4048c9) calc(61e6 - l*1e6) 0 0));background:var(--docent-color,#4048c9);box-shadow:0 6px 20px #0005}.l:before{content:"";float:left;border:13px solid;clip-path:path("M4 18A12 10 0 119 21l-6 3")}`;

const PRELOAD_DELAY_MS = 999;

/** Puts the launcher, with these words, on the page; the panel is loaded at the first hover, focus or call. */
export function launch(options: Options, load: LoadPanel, open = OPEN, unloadable = UNLOADABLE): LaunchedHandle {
  const target = options.target;
  const createElement = documentMember('createElement');
  const settings = options.settings as Record<string, string> | undefined;
  const host: Host = createElement('docent-widget');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const button = createElement('button');
  const calls: ((chat: Chat) => void)[] = [];
  let panel: OpenedPanel | undefined;
  /** False once the widget is destroyed: nothing is loaded any more; null after a failure. */
  let loading: Promise<void> | false | null | undefined;
  let preloadTimer: ReturnType<typeof setTimeout> | undefined;

  const preload = (): unknown =>
    (loading ??= load().then(
      ({ openPanel }) => {
        if (!loading) return;
        panel = openPanel(root, { ...options, button });
        calls.forEach(whenLoaded);
      },
      (fault: unknown) => {
        console.error('[docent]', fault);
        button.title = unloadable;
        loading = null;
      },
    ));
  const whenLoaded = (act: (chat: Chat) => void): void => {
    if (panel) return act(panel.chat);
    calls.push(act);
    preload();
  };

  const handle: LaunchedHandle = {
    host,
    open: () => whenLoaded((chat) => chat.open()),
    close: () => whenLoaded((chat) => chat.close()),
    ask: (query) => whenLoaded((chat) => chat.ask(query)),
    on(name, listener) {
      const forward = ({ detail }: CustomEventInit): void => listener(detail);
      host.addEventListener(name, forward);
      return () => host.removeEventListener(name, forward);
    },
    destroy() {
      loading = false;
      clearTimeout(preloadTimer);
      removeEventListener('click', openFromPage, true);
      removeEventListener('pageshow', resume);
      host.remove();
      panel = panel?.destroy() as undefined;
    },
  };
  const openFromPage = (event: Event & { docent?: Host }): void => {
    const name = (event.target as Element).closest?.<HTMLElement>('[data-docent-open]')?.dataset['docentOpen'];
    // Without a chatbot's uuid (frameworks write `true`) the first widget of the page takes it, and says so in the event.
    if (event.docent || !(name === host.docent || (name?.length as number) < 9)) return;
    event.docent = host;
    // A link leads somewhere only where there are no scripts.
    event.preventDefault();
    handle.open();
  };

  // The visitor has used a chat in this tab: it may be open, or wait for an answer (browser/storage.ts).
  const resume = (): void => {
    try {
      if (sessionStorage['docent']) preload();
    } catch {}
  };

  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  host.docent = options.chatbot;
  for (const name in settings) {
    // `auto` is the style sheet's default: the page's color-scheme.
    if (settings[name] !== 'auto')
      host.style.setProperty(
        `--docent-${name[0] === 'z' ? 'z' : name}`,
        settings[name] + (/ff|ra/.test(name) ? 'px' : ''),
      );
    // What needs the panel without a click: open, label, icon, teaser, triggers, settings. Above: offset, radius.
    if (/op|ab|ico|te|tr|gs/.test(name)) preloadTimer ??= setTimeout(preload, PRELOAD_DELAY_MS);
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
  resume();
  // The page may come back from the back/forward cache after a chat was opened on another one.
  addEventListener('pageshow', resume);
  (target ?? documentMember('documentElement')).append(host);
  return handle;
}
