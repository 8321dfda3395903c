import { waitFor, within } from '@testing-library/preact';
import { mount, type Events, type Handle, type Options } from '../../widget/index.tsx';
import { startFakeServer, server, type Handler, type FakeServer } from './fake-server.ts';

// Imported here so that its compilation does not count towards a test's timeouts.
await import('../../widget/panel.tsx');

/** A mounted chat with its fake server and queries. */
export interface MountedChat {
  server: FakeServer;
  handle: Handle;
  host: HTMLElement;
  root: ShadowRoot;
  /** Queries by role and label inside the shadow root. */
  screen: ReturnType<typeof within>;
  /** Every event that the page received, in order. */
  events: [name: string, detail: unknown][];
  ask(query: string): void;
  close(): void;
}

const names: (keyof Events)[] = ['open', 'close', 'ask', 'answer', 'citation', 'rate-limit', 'error'];

export function typeText(field: HTMLElement, text: string): void {
  (field as HTMLTextAreaElement).value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

export const pressKey = (element: HTMLElement, key: string, more: KeyboardEventInit = {}): boolean =>
  element.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }),
  );

export function mountChat(answers: Record<string, Handler>, options: Partial<Options> = {}): MountedChat {
  const fakeServer = startFakeServer(answers);
  const handle = mount({ server, chatbot: 'c1', ...options });
  const events: MountedChat['events'] = [];
  for (const name of names) handle.on(name, (detail) => events.push([name, detail]));
  const host = document.querySelector<HTMLElement>('docent-widget')!;
  const root = host.shadowRoot!;
  const screen = within(root as unknown as HTMLElement);
  return {
    server: fakeServer,
    handle,
    host,
    root,
    screen,
    events,
    ask(query) {
      const field = screen.getByRole('textbox', { name: 'Your question' });
      typeText(field, query);
      pressKey(field, 'Enter');
    },
    close() {
      handle.destroy();
      fakeServer.close();
    },
  };
}

/** Mounted, and opened by its launcher. */
export async function mountAndOpen(
  answers: Record<string, Handler>,
  options: Partial<Options> = {},
): Promise<MountedChat> {
  const chat = mountChat(answers, options);
  if (!options.target) chat.screen.getByRole('button', { name: 'Open chat' }).click();
  await waitFor(() => chat.screen.getByRole('textbox', { name: 'Your question' }));
  return chat;
}
