import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import type { PanelWords } from '../words/en.ts';

export interface Room {
  chat: Chat;
  words: PanelWords;
  isInline: boolean;
}

export const RoomContext = createContext<Room>(undefined as never);

/** The chat and the words of the panel that a view stands in. */
export const useRoom = (): Room => useContext(RoomContext);
