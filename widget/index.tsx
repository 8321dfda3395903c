import { Component, type VNode } from 'preact';
import { launch, type Handle, type Options } from './embed/launcher.ts';

export type { Citation, Citations } from '../server/types.ts';
export type { Events } from './chat/turn.ts';
export type { Handle, Options } from './embed/launcher.ts';
export type { Context, Settings } from './browser/settings.ts';
export type { Words } from './words/en.ts';
export type { DocentChatElement } from './element.ts';

/** Puts the chat on the page: a launcher in the corner, or inside `target`. The panel is loaded at the first hover, focus or call. */
export function mount(options: Options): Handle {
  const { open, unloadable } = { ...options.words };
  return launch(options, () => import('./panel.tsx'), open, unloadable);
}

/**
 * Defines the custom element `<docent-chat>`: attributes are the settings (`teaser-after="9"`), `inline` shows the chat inside the
 * element. Elements already in the page are upgraded. Does nothing outside a browser.
 */
export async function defineElement(name = 'docent-chat'): Promise<void> {
  if (globalThis.customElements) (await import('./element.ts')).define(name, mount);
}

export interface ChatWidgetProps extends Omit<Options, 'target'> {
  /** Shows the chat inside the component, always open; otherwise a launcher in the corner of the page. */
  inline?: boolean;
  /** Called with the handle after each mount. */
  onReady?: (handle: Handle) => void;
}

/**
 * The chat as a Preact component; destroyed on unmount. React cannot render it: it throws "Class constructor ChatWidget cannot be
 * invoked without 'new'". There, call `defineElement` and render `<docent-chat>`.
 */
export class ChatWidget extends Component<ChatWidgetProps> {
  private readonly attach = (place: HTMLElement | null): (() => void) => {
    const { inline, onReady, ...options } = this.props;
    const handle = mount({ ...options, target: inline ? place : undefined });
    onReady?.(handle);
    return handle.destroy;
  };

  override render({ server, chatbot, inline }: ChatWidgetProps): VNode {
    // Another key mounts a new chat: its options are read once.
    const key = `${server} ${chatbot} ${inline}`;
    return <div key={key} ref={this.attach} style={inline ? 'height:100%' : 'display:none'} />;
  }
}
