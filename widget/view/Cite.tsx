import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import { extras } from '../extras.ts';
import type { Turn } from '../turn.ts';

interface CiteProps {
  chat: Chat;
  turn: Turn;
  marker: string;
}

/** A marker in the text: a button as soon as it is known what it cites. */
export function Cite({ chat, turn, marker }: CiteProps): VNode {
  const citation = turn.citations.value[marker];
  const { Marker } = extras.value ?? {};
  if (!citation || !Marker) return <span class="marker">{marker}</span>;
  return <Marker chat={chat} turn={turn} marker={marker} citation={citation} />;
}
