import type { Chat } from '../../chat/types.ts';
import type { Elements } from '../elements.ts';
import { announce } from './announcer.ts';

/** Shows a panel that was removed once more, out of reach, for as long as the style sheet lets it fade. */
function fadeOut(panel: HTMLElement, parent: Node): void {
  panel.inert = true;
  parent.appendChild(panel);
  void Promise.allSettled([panel.getAnimations?.()[0]?.finished]).then(() => panel.remove());
}

/** Announces the answers of an open panel, and has it fade out once `signal` is aborted, which is before it is removed. */
export function attend(panel: HTMLElement, chat: Chat, elements: Elements, signal: AbortSignal): void {
  if (signal.aborted) return;
  announce(panel, chat, elements, signal);
  if (panel.matches('[role=dialog]'))
    signal.addEventListener('abort', () => {
      const parent = panel.parentNode!;
      const log = panel.querySelector('.log')!;
      const { scrollTop } = log;
      queueMicrotask(() => {
        fadeOut(panel, parent);
        log.scrollTop = scrollTop;
      });
    });
}
