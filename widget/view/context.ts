import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { en, type Words } from '../words/en.ts';

export interface Room {
  chat: Chat;
  words: Words;
  isInline: boolean;
}

export const RoomContext = createContext<Room>({ chat: undefined as never, words: en, isInline: false });

/** The chat and the words of the panel that a view stands in. */
export const useRoom = (): Room => useContext(RoomContext);
