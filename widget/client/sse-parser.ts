import type { ChatEvent } from '../../server/types.ts';

/**
 * Incremental parser of Server-Sent Events: each call takes the next piece, of any size, and returns the events it completes.
 * Comments and unknown blocks are skipped; `data` that is not JSON throws.
 */
export function createSseParser(): (piece: string) => ChatEvent[] {
  let rest = '';
  return (piece) => {
    // Some proxies rewrite line ends to CRLF.
    const blocks = (rest + piece.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop()!;
    return blocks.flatMap((block) => {
      const [, id, event, data] = /^(?:id: (.*)\n)?event: (.*)\ndata: (.*)/s.exec(block) ?? [];
      return data ? ({ event, id: +id!, data: JSON.parse(data) as unknown } as ChatEvent) : [];
    });
  };
}
