import type { VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { PLUS, IconButton } from './Icon.tsx';

/** A sentence beside the launcher, shown after `teaser_after` seconds unless the visitor has opened or closed the chat. */
export function Teaser({ chat }: { chat: Chat }): VNode | null {
  const { teaser, teaser_after = 5 } = chat.profile.value;
  if (!teaser || chat.isOpen.value === false) return null;
  return (
    <div class="teaser" style={{ animationDelay: `${teaser_after}s` }}>
      <button onClick={() => chat.open()}>{teaser}</button>
      <IconButton d={PLUS} turn="45deg" title={chat.words.value.close} onClick={chat.dismiss} />
    </div>
  );
}
