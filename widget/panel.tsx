import { effect } from '@preact/signals';
import { render } from 'preact';
import { createChat } from './chat/chat.ts';
import type { Chat, ChatOptions } from './chat/types.ts';
import { tendLauncher } from './browser/launcher.ts';
import { applyTheme } from './browser/theme.ts';
import { Panel } from './view/Panel.tsx';
import style from './view/style.css?inline';

export interface PanelOptions extends ChatOptions {
  /** The launcher's; without one the panel is part of the page's own flow: no close button, no focus taken. */
  button?: HTMLButtonElement | undefined;
}

export interface OpenedPanel {
  chat: Chat;
  destroy(): void;
}

/** Narrower windows are filled by the panel: nobody wants that unasked. */
const PHONE = 520;

/** Draws the panel into a shadow root, closed; `chat` opens it. */
export function openPanel(root: ShadowRoot, options: PanelOptions): OpenedPanel {
  const { button } = options;
  const host = root.host as HTMLElement;
  const chat = createChat(host, options);
  const own = chat.face.peek();
  const sheet = new CSSStyleSheet();
  // Laid out as what is in it. An element of the page by the name of `createElement` is not called instead (own.ts).
  const place = Document.prototype.createElement.call(document, 'slot');
  sheet.replaceSync(style);
  root.adoptedStyleSheets.push(sheet);
  root.prepend(place);
  render(<Panel chat={chat} isInline={!button} />, place);
  if (button) tendLauncher(button, chat);
  if ('settings' in own) void chat.meet();
  const stop = effect(() => {
    const face = chat.face.value;
    applyTheme(host, own, face);
    if (face.open && (chat.isOpen.peek() ?? innerWidth > PHONE)) chat.open('quietly');
  });
  return {
    chat,
    destroy() {
      stop();
      chat.drop();
      render(null, place);
    },
  };
}
