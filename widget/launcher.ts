import { effect } from '@preact/signals';
import type { Chat } from './chat.ts';
import type { Settings } from './settings.ts';
import type { Words } from './words/en.ts';

/** Icons that are signs; an https address is a picture, `none` is no launcher, and all else its own shape. */
const SIGNS: Record<string, string> = { question: '?', spark: '\u2726' };

/** Takes over the launcher's button once the panel is there. Returns what gives it up again. */
export function tendLauncher(button: HTMLButtonElement, chat: Chat, own: Partial<Settings>): () => void {
  const root = button.getRootNode() as ShadowRoot;
  const { title } = button;
  let opener: Element | null = button;
  let wasOpen = false;
  button.onclick = () => (chat.isOpen.peek() ? chat.close() : chat.open());

  return effect(() => {
    const isOpen = chat.isOpen.value;
    const { icon = '', label = '', position } = { ...own, ...chat.face.value };
    const words: Partial<Words> = chat.words.value;
    button.className = `l ${position}`;
    button.title = isOpen ? words.close! : label || words.open || title;
    button.ariaExpanded = `${isOpen}`;
    button.textContent = label;
    button.dataset.sign = SIGNS[icon] ?? '';
    button.style.setProperty('--image', icon.startsWith('https:') ? `url(${JSON.stringify(icon)})` : '');
    button.style.setProperty('--docent-icon', icon);
    if (isOpen === wasOpen) return;
    wasOpen = isOpen;
    if (isOpen) opener = root.activeElement ?? document.activeElement;
    else (opener?.isConnected && opener !== document.body ? (opener as HTMLElement) : button).focus();
  });
}
