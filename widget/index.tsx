import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { openPanel } from './panel.tsx';
import { launch, type Handle, type Options } from './launch.ts';

export type { Citation, Citations } from '../server/types.ts';
export type { Events } from './turn.ts';
export type { Handle, Options } from './launch.ts';
export type { Words } from './words/en.ts';

/** Puts the chat on the page: a launcher in the corner, or inside `target`. */
export function mount(options: Options): Handle {
  return launch(options, async () => ({ openPanel }));
}

export interface ChatWidgetProps extends Omit<Options, 'target'> {
  /** Inside the component's own place, always open; otherwise a launcher in the corner of the page. */
  inline?: boolean;
  /** Called with the handle of each mounted chat. */
  onReady?: (handle: Handle) => void;
}

/** The chat as a component; it comes and goes with it. */
export function ChatWidget({ server, chatbot, words, inline = false, onReady }: ChatWidgetProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const handle = mount({ server, chatbot, words, target: inline ? (place.current ?? undefined) : undefined });
    onReady?.(handle);
    return () => handle.destroy();
  }, [server, chatbot, inline]);
  return <div ref={place} style={inline ? { height: '100%' } : { display: 'contents' }} />;
}
