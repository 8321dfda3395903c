import type { RefObject, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { en, type PanelWords, type Words } from '../words/en.ts';
import { Announcer } from './Announcer.tsx';
import { Composer } from './Composer.tsx';
import { RoomContext, useRoom } from './context.ts';
import { Conversation } from './Conversation.tsx';
import { IconButton } from './Icon.tsx';

function Header(): VNode {
  const { chat, words, isInline } = useRoom();
  const name = chat.face.value?.name || words.title;
  const hasTurns = chat.turns.value.length > 0;
  return (
    <header>
      <span class="avatar" aria-hidden="true">
        {[...name][0]}
      </span>
      <h2>{name}</h2>
      {hasTurns && <IconButton icon="anew" label={words.anew} onClick={() => void chat.startAnew()} />}
      {!isInline && <IconButton icon="close" label={words.close} onClick={() => chat.close()} />}
    </header>
  );
}

/** The field has the reader's next words: it takes the focus when the panel opens. */
function useFocusOnOpen(chat: Chat, isInline: boolean): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  const isOpen = chat.isOpen.value;
  useEffect(() => {
    if (isOpen && !isInline) field.current?.focus();
  }, [isOpen, isInline]);
  return field;
}

export interface PanelProps {
  chat: Chat;
  /** The page's own sentences. */
  own: Partial<Words> | undefined;
  isInline: boolean;
}

export function Panel({ chat, own, isInline }: PanelProps): VNode {
  const face = chat.face.value;
  const words: PanelWords = { ...en, ...face?.words, ...own };
  const field = useFocusOnOpen(chat, isInline);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    if (!isInline) chat.close();
  };
  return (
    <RoomContext.Provider value={{ chat, words, isInline }}>
      <section
        class="panel"
        role={isInline ? 'region' : 'dialog'}
        aria-label={face?.name || words.title}
        hidden={!chat.isOpen.value}
        onKeyDown={escape}
      >
        <Header />
        <Conversation />
        <Composer field={field} />
        <Announcer />
      </section>
    </RoomContext.Provider>
  );
}
