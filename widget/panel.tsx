import { effect } from '@preact/signals';
import { render } from 'preact';
import { createChat } from './chat/chat.ts';
import type { Chat, ChatOptions } from './chat/types.ts';
import { bindLauncherButton } from './browser/launcher-button.ts';
import { fullScreen } from './browser/full-screen.ts';
import { readDocument } from './browser/read-document.ts';
import { applyTheme } from './browser/theme.ts';
import { elements } from './view/elements.ts';
import { Panel } from './view/Panel.tsx';
import style from './view/style.css?inline';

export interface PanelOptions extends ChatOptions {
  /** The launcher's. */
  button?: HTMLButtonElement | undefined;
  /** With one, or without a button, the panel is inline: no close button, and it does not take the focus. */
  target?: Element | null | undefined;
}

export interface OpenedPanel {
  chat: Chat;
  destroy(): void;
}

/** The page's color-scheme; both where it has none. */
const pageScheme = (): string =>
  getComputedStyle(readDocument('documentElement')).colorScheme.replace('normal', 'light dark');

/** Renders the panel into a shadow root, closed; `chat.open()` opens it. */
export function openPanel(root: ShadowRoot, options: PanelOptions): OpenedPanel {
  const button = options.target ? undefined : options.button;
  const host = root.host as HTMLElement;
  const chat = createChat(host, options);
  const pageSettings = chat.profile.peek();
  const sheet = new CSSStyleSheet();
  // It has no box of its own.
  const slot = elements.create('slot');
  sheet.replaceSync(style);
  root.adoptedStyleSheets.push(sheet);
  root.prepend(slot);
  render(<Panel chat={chat} isInline={!button} />, slot);
  // Now for the teaser, and again each time, since a page may change it.
  chat.isOpen.subscribe(() => host.style.setProperty('--scheme', pageScheme()));
  if ('settings' in pageSettings) void chat.prepare();
  let leave: (() => void) | undefined;
  if (button) {
    bindLauncherButton(button, chat);
    import('./browser/presence.ts').then(({ watch }) => {
      if (host.isConnected) leave = watch(host, button, chat, elements);
    }, chat.report);
  }
  let teasing: Promise<void> | undefined;
  const stop = effect(() => {
    const profile = chat.profile.value;
    applyTheme(host, pageSettings, profile);
    if (button && (profile.teaser || profile.triggers?.[0]))
      teasing ??= import('./view/teaser/teaser.ts').then(({ tease }) => tease(slot, chat, elements)).catch(chat.report);
    if (profile.open && (chat.isOpen.peek() ?? !fullScreen().matches)) chat.open('quietly');
  });
  return {
    chat,
    destroy() {
      stop();
      leave?.();
      chat.clear();
      render(null, slot);
    },
  };
}
