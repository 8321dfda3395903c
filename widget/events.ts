import type { ChatEvent } from '../server/types.ts';

interface Fields {
  id: string;
  event: string;
  data: string[];
}

const blank = (): Fields => ({ id: '', event: '', data: [] });

const known = new Set(['session', 'message', 'delta', 'done', 'error']);

function toEvent(fields: Fields): ChatEvent | undefined {
  if (!known.has(fields.event)) return undefined;
  const data: unknown = JSON.parse(fields.data.join('\n'));
  return { id: Number(fields.id), event: fields.event, data } as ChatEvent;
}

function readLine(line: string, fields: Fields): void {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'data') fields.data.push(value);
  else if (name === 'id' || name === 'event') fields[name] = value;
}

/**
 * Reads an event stream from pieces of any size: each call takes the next piece and gives the events it completed.
 * Comments and unknown events are passed over; `data` that is no JSON throws.
 */
export function createEventReader(): (piece: string) => ChatEvent[] {
  let rest = '';
  let fields = blank();
  return (piece) => {
    // A lone CR at the end may be the first half of CRLF: it waits for the next piece.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const events: ChatEvent[] = [];
    for (const line of lines) {
      if (line) readLine(line, fields);
      else if (fields.event) {
        const event = toEvent(fields);
        if (event) events.push(event);
        fields = blank();
      }
    }
    return events;
  };
}
