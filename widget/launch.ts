import type { Events } from './chat.ts';
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

const STYLE = `:host{all:initial!important;direction:ltr!important;unicode-bidi:isolate!important;zoom:1!important;display:block!important;position:fixed!important;z-index:var(--docent-z,2147483000)!important}
:host([inline]){position:relative!important;z-index:0!important;height:100%!important}
@media print{:host{display:none!important}}
.launcher{all:unset;box-sizing:border-box;position:fixed;right:var(--docent-offset,20px);bottom:var(--docent-offset,20px);width:56px;height:56px;border-radius:28px;cursor:pointer;display:grid;place-items:center;color:var(--docent-on-color,#fff);background:var(--docent-color,#4048c9);border:1px solid #ffffff26;box-shadow:0 1px 2px #0f122e3d,0 8px 24px #0f122e38;transition:transform .18s}
.launcher:hover{transform:translateY(-2px)}
.launcher:focus-visible{outline:2px solid var(--docent-color,#4048c9);outline-offset:3px}
.launcher[aria-busy]{opacity:.7}
@media(prefers-reduced-motion){.launcher{transition:none}}`;

const SPEECH =
  'M12 3.5c-5 0-9 3.3-9 7.5 0 2.3 1.2 4.3 3 5.7L5.4 20.5l4-2.2c.8.2 1.7.3 2.6.3 5 0 9-3.3 9-7.6s-4-7.500-9-7.500z';
const DOWN = 'M6 9.5l6 6 6-6';

function drawIcon(button: HTMLElement): (path: string) => void {
  const make = (name: string): Element => document.createElementNS('http://www.w3.org/2000/svg', name);
  const picture = make('svg');
  const path = make('path');
  const set = (node: Element, own: Record<string, string>): void => {
    for (const name in own) node.setAttribute(name, own[name]!);
  };
  set(picture, { viewBox: '0 0 24 24', width: '26', fill: 'none', stroke: 'currentColor', 'aria-hidden': 'true' });
  set(path, { 'stroke-width': '1.8', 'stroke-linejoin': 'round', 'stroke-linecap': 'round' });
  picture.append(path);
  button.append(picture);
  return (d) => path.setAttribute('d', d);
}

/** Puts the launcher on the page; the panel is loaded when somebody comes near it. */
export function launch({ target, ...options }: Options, load: LoadPanel): Handle {
  const host = document.createElement('docent-widget');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const button = document.createElement('button');
  const draw = drawIcon(button);
  const words = { ...launcher, ...options.words };
  const listeners: { [name: string]: Set<(detail: never) => void> } = {};
  const calls: ((panel: OpenedPanel) => void)[] = [];
  let panel: OpenedPanel | undefined;
  let loading: Promise<void> | undefined;
  let tries = 0;
  let isGone = false;

  const say = (label: string): void => {
    button.title = label;
    button.ariaLabel = label;
  };
  const show = (isOpen: boolean): void => {
    draw(isOpen ? DOWN : SPEECH);
    say(isOpen ? words.close : words.open);
    button.ariaExpanded = `${isOpen}`;
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
      console.error('[docent] the chat panel could not be loaded; is the server reachable from this page?', fault);
      if (calls.length) say(words.unloadable);
      loading = undefined;
    }
    button.ariaBusy = null;
  };
  const near = (): Promise<void> => (loading ??= arrive());
  const later = (call: (panel: OpenedPanel) => void): void => {
    if (panel) return call(panel);
    calls.push(call);
    button.ariaBusy = 'true';
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
    },
  };

  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  host.dataset.docent = options.chatbot;
  if (target) {
    host.setAttribute('inline', '');
    handle.open();
  } else {
    button.type = 'button';
    button.className = 'launcher';
    button.onpointerenter = button.onfocus = near;
    button.onclick = () => (button.ariaExpanded === 'true' ? handle.close() : handle.open());
    show(false);
    root.append(button);
  }
  (target ?? document.documentElement).append(host);
  return handle;
}
