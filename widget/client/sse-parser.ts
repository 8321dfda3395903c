import type { ChatEvent } from '../../server/types.ts';

/**
 * Reads the door's events from pieces of any size: each call takes the next piece and gives the events it completed. What is no
 * event, such as a comment, is passed over; `data` that is no JSON throws.
 */
export function createSseParser(): (piece: string) => ChatEvent[] {
  let rest = '';
  return (piece) => {
    // There are proxies that end lines in their own way.
    const blocks = (rest + piece.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop()!;
    return blocks.flatMap((block) => {
      const [, id, event, data] = /^(?:id: (.*)\n)?event: (.*)\ndata: (.*)/s.exec(block) ?? [];
      return data ? ({ event, id: +id!, data: JSON.parse(data) as unknown } as ChatEvent) : [];
    });
  };
}
