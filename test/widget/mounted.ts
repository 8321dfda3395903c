import { waitFor, within } from '@testing-library/preact';
import { mount, type Events, type Handle, type Options } from '../../widget/index.tsx';
import { openDoor, server, type Answer, type Door } from './fake-server.ts';

// Compiled before a test's clock runs: it is loaded when a visitor comes near.
await import('../../widget/panel.tsx');

/** A mounted chat as a visitor meets it. */
export interface Opened {
  door: Door;
  handle: Handle;
  host: HTMLElement;
  root: ShadowRoot;
  /** Queries by role and label inside the shadow root. */
  see: ReturnType<typeof within>;
  /** Everything the page was told, in order. */
  told: [name: string, detail: unknown][];
  ask(query: string): void;
  close(): void;
}

const names: (keyof Events)[] = ['open', 'close', 'ask', 'answer', 'citation', 'rate-limit', 'error'];

export function type(field: HTMLElement, text: string): void {
  (field as HTMLTextAreaElement).value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

export const press = (element: HTMLElement, key: string, more: KeyboardEventInit = {}): boolean =>
  element.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }),
  );

export function mounted(answers: Record<string, Answer>, options: Partial<Options> = {}): Opened {
  const door = openDoor(answers);
  const handle = mount({ server, chatbot: 'c1', ...options });
  const told: Opened['told'] = [];
  for (const name of names) handle.on(name, (detail) => told.push([name, detail]));
  const host = document.querySelector<HTMLElement>('docent-widget')!;
  const root = host.shadowRoot!;
  const see = within(root as unknown as HTMLElement);
  return {
    door,
    handle,
    host,
    root,
    see,
    told,
    ask(query) {
      const field = see.getByRole('textbox', { name: 'Your question' });
      type(field, query);
      press(field, 'Enter');
    },
    close() {
      handle.destroy();
      door.close();
    },
  };
}

/** Mounted, and opened by its launcher. */
export async function opened(answers: Record<string, Answer>, options: Partial<Options> = {}): Promise<Opened> {
  const chat = mounted(answers, options);
  if (!options.target) chat.see.getByRole('button', { name: 'Open chat' }).click();
  await waitFor(() => chat.see.getByRole('textbox', { name: 'Your question' }));
  return chat;
}
