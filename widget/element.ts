import { launch, type Handle } from './embed/launcher.ts';
import { readSettings } from './browser/settings.ts';
import type { Events } from './chat/turn.ts';

/**
 * `<docent-chat server="…" chatbot="…">`. Dispatches `Events` by their names, as `CustomEvent` with `detail`. The chat is destroyed
 * when the element is disconnected.
 */
export interface DocentChatElement extends HTMLElement, Pick<Handle, 'open' | 'close' | 'ask'> {}

declare global {
  interface HTMLElementTagNameMap {
    'docent-chat': DocentChatElement;
  }
}

const EVENTS: (keyof Events)[] = ['open', 'close', 'ask', 'answer', 'citation', 'rate-limit', 'error'];

/** Defines the element; does nothing where the name is defined. */
export function define(name: string): void {
  if (customElements.get(name)) return;

  class DocentChat extends HTMLElement implements DocentChatElement {
    static observedAttributes = ['server', 'chatbot'];
    private handle: Handle | undefined;

    connectedCallback(): void {
      // On upgrade attributeChangedCallback runs before this and has already connected it.
      this.disconnectedCallback();
      const { server, chatbot, inline, ...written } = Object.fromEntries(
        Array.from(this.attributes, ({ name, value }) => [name.replace('data-', ''), value]),
      );
      if (!server || !chatbot) return;
      const target = inline === undefined ? undefined : this;
      const options = { server, chatbot, target, settings: readSettings(written) };
      const handle = (this.handle = launch(options, () => import('./panel.tsx')));
      for (const event of EVENTS) handle.on(event, (detail) => this.dispatchEvent(new CustomEvent(event, { detail })));
    }

    disconnectedCallback(): void {
      this.handle?.destroy();
      this.handle = undefined;
    }

    attributeChangedCallback(): void {
      if (this.isConnected) this.connectedCallback();
    }

    open(): void {
      this.handle?.open();
    }

    close(): void {
      this.handle?.close();
    }

    ask(query: string): void {
      this.handle?.ask(query);
    }
  }
  customElements.define(name, DocentChat);
}
