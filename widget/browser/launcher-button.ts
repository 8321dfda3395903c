import { effect } from '@preact/signals';
import { readDocument } from './read-document.ts';
import type { Chat } from '../chat/types.ts';

/** Keeps the launcher's label, icon and state in step with the chat, and returns the focus when the chat closes. */
export function bindLauncherButton(button: HTMLButtonElement, chat: Chat): void {
  /** What had the focus when the chat was opened. */
  let opener: HTMLElement | undefined;

  effect(() => {
    const isOpen = !!chat.isOpen.value;
    const { icon = '', label = '' } = chat.profile.value;
    const { close, open } = chat.words.value;
    button.title = isOpen ? close : label || open;
    button.onclick = () => (isOpen ? chat.close() : chat.open());
    button.setAttribute('aria-expanded', `${isOpen}`);
    button.textContent = label;
    button.dataset.icon = icon;
    // Few launchers have a label, or an icon other than the speech bubble.
    if (/^(?!chat$)./.test(icon + label))
      import('./launcher-look.ts').then((look) => look.styleLauncher(button, icon), chat.report);
    if (isOpen) opener ??= readDocument('activeElement') as HTMLElement;
    else if (opener) {
      // The page may close the chat while its own field has the focus.
      if ((button.getRootNode() as ShadowRoot).activeElement) {
        // focus() on a removed element or on the body does nothing: then the focus stays on the launcher.
        button.focus();
        opener.focus();
      }
      opener = undefined;
    }
  });
}
