import type { Handle, Options } from './embed/launcher.ts';
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

/** Defines the element; does nothing where the name is defined. `mount` is handed over, so that the package exports no more for it. */
export function define(name: string, mount: (options: Options) => Handle): void {
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
      const handle = (this.handle = mount(options));
      for (const event of EVENTS) handle.on(event, (detail) => this.dispatchEvent(new CustomEvent(event, { detail })));
    }

    disconnectedCallback(): void {
      this.handle?.destroy();
      this.handle = undefined;
    }

    attributeChangedCallback(): void {
      if (this.isConnected) this.connectedCallback();
    }

    get open(): () => void {
      return () => this.handle?.open();
    }

    // React 19 assigns an attribute as a property where the element has one of its name: `open` is a setting, too.
    set open(written: unknown) {
      this.setAttribute('open', `${written as string}`);
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
