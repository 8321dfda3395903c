import type { Events } from './turn.ts';
import type { OpenedPanel, openPanel } from './panel.tsx';
import { launcher, type Words } from './words/en.ts';

export interface Options {
  /** The address of the Docent server, as `https://chat.example.org`. */
  server: string;
  /** The chatbot's uuid. */
  chatbot: string;
  /** Shows the chat inside this element, always open, instead of behind a launcher in the corner. */
  target?: HTMLElement | undefined;
  /** Sentences of your own in place of the English ones. */
  words?: Partial<Words> | undefined;
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

/** `tries`: how often it was tried before. */
export type LoadPanel = (tries: number) => Promise<{ openPanel: typeof openPanel }>;

const SPEECH = 'M13 2C6 2 1 6 1 12c0 3 1 5 3 7l-1 5 6-2 4 0c7 0 12-4 12-10S20 2 13 2';
const DOWN = 'M4 9l2-2 7 7 7-7 2 2-9 9z';

// Kept small by hand: a page loads these words before anybody opens the chat. The icon is a shape, not a picture, so
// that no policy on images applies to it.
const STYLE = `:host{all:initial!important;direction:ltr!important;unicode-bidi:isolate!important;zoom:1!important;display:block!important;position:fixed!important;z-index:var(--docent-z,2147483000)!important}
@media print{:host{display:none!important}}
.l{position:fixed;right:var(--docent-offset,20px);bottom:var(--docent-offset,20px);width:56px;height:56px;padding:15px;border:0;border-radius:50%;cursor:pointer;color:var(--docent-on-color,#fff);background:var(--docent-color,#4048c9);box-shadow:0 6px 20px #0f122e4d}
.l:before{content:"";display:block;height:26px;background:currentColor;forced-color-adjust:none;clip-path:path("${SPEECH}")}
.l[aria-expanded=true]:before{clip-path:path("${DOWN}")}`;

/** Puts the launcher on the page; the panel is loaded when somebody comes near it. */
export function launch({ target, ...options }: Options, load: LoadPanel, gone?: () => void): Handle {
  const host = document.createElement('docent-widget');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const button = document.createElement('button');
  const words = { ...launcher, ...options.words };
  const listeners: { [name: string]: Set<(detail: never) => void> } = {};
  const calls: ((panel: OpenedPanel) => void)[] = [];
  let panel: OpenedPanel | undefined;
  let loading: Promise<void> | undefined;
  let tries = 0;
  let isGone = false;

  const show = (isOpen: boolean): void => {
    button.title = isOpen ? words.close : words.open;
    button.setAttribute('aria-expanded', `${isOpen}`);
  };
  const emit = (name: keyof Events, detail: unknown): void => {
    if (name === 'open' || name === 'close') show(name === 'open');
    if (name === 'close') button.focus();
    for (const listener of listeners[name] ?? []) listener(detail as never);
  };

  const arrive = async (): Promise<void> => {
    try {
      const module = await load(tries++);
      if (!isGone) panel = module.openPanel(root, { ...options, emit, isInline: !!target });
      for (const call of calls.splice(0)) if (panel) call(panel);
    } catch (fault) {
      console.error('[docent] panel not loaded; is the server up?', fault);
      if (calls.length) button.title = words.unloadable;
      loading = undefined;
    }
  };
  const near = (): Promise<void> => (loading ??= arrive());
  const later = (call: (panel: OpenedPanel) => void): void => {
    if (isGone) return;
    if (panel) return call(panel);
    calls.push(call);
    void near();
  };

  const handle: Handle = {
    open: () => later(({ chat }) => chat.open()),
    close: () => {
      if (panel || loading) later(({ chat }) => chat.close());
    },
    ask: (query) =>
      later(({ chat }) => {
        chat.open();
        chat.ask(query);
      }),
    on(name, listener) {
      const all = (listeners[name] ??= new Set());
      all.add(listener);
      return () => void all.delete(listener);
    },
    destroy() {
      isGone = true;
      panel?.destroy();
      panel = undefined;
      host.remove();
      gone?.();
    },
  };

  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  host.dataset.docent = options.chatbot;
  if (target) {
    host.setAttribute('inline', '');
    handle.open();
  } else {
    button.className = 'l';
    button.onpointerenter = button.onfocus = near;
    button.onclick = () => (panel?.chat.isOpen.peek() ? handle.close() : handle.open());
    show(false);
    root.append(button);
  }
  (target ?? document.documentElement).append(host);
  return handle;
}
