import { render } from 'preact';
import type { Chat } from '../chat.ts';
import type { Memory } from '../memory.ts';
import type { Settings } from '../settings.ts';
import { CLOSE, IconButton } from './Icon.tsx';

/** Narrower windows are filled by the panel: nobody wants that unasked. */
const PHONE = 520;
/** Seconds. */
const TEASER_AFTER = 5;

/** Opens the chat, or says a sentence beside the launcher, to a visitor who has not closed it before. Returns what takes it away. */
export function greet(root: ShadowRoot, chat: Chat, memory: Memory, settings: Partial<Settings>): () => void {
  const { open, teaser, teaser_after = TEASER_AFTER } = settings;
  const place = document.createElement('div');
  let timer: ReturnType<typeof setTimeout> | undefined;

  function leave(): void {
    clearTimeout(timer);
    unsubscribe();
    render(null, place);
    place.remove();
  }

  function dismiss(): void {
    memory.write({ closed: true });
    leave();
  }

  function tease(): void {
    root.prepend(place);
    render(
      <div class="teaser">
        <button onClick={() => chat.open()}>{teaser}</button>
        <IconButton d={CLOSE} label={chat.words.value.close} onClick={dismiss} />
      </div>,
      place,
    );
  }

  let wasOpen = chat.isOpen.peek();
  const unsubscribe = chat.isOpen.subscribe((isOpen) => {
    if (isOpen && !wasOpen) render(null, place);
    if (wasOpen && !isOpen) dismiss();
    wasOpen = isOpen;
  });
  if (wasOpen || memory.read().closed) return leave;
  if (open && innerWidth > PHONE) chat.open(true);
  else if (teaser) timer = setTimeout(tease, Number(teaser_after) * 1000);
  return leave;
}
