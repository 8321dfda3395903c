import type { ChatEvent } from '../server/types.ts';

type Fields = Record<string, string>;

function readLine(line: string, fields: Fields): void {
  const [, name = '', value = ''] = /^(\w+): ?(.*)/.exec(line) ?? [];
  fields[name] = name === 'data' && fields[name] ? `${fields[name]}\n${value}` : value;
}

const toEvent = ({ event, id, data }: Fields): ChatEvent =>
  ({ event, id: Number(id), data: JSON.parse(data ?? '') as unknown }) as ChatEvent;

/**
 * Reads an event stream from pieces of any size: each call takes the next piece and gives the events it completed.
 * Comments are passed over; `data` that is no JSON throws.
 */
export function createEventReader(): (piece: string) => ChatEvent[] {
  let rest = '';
  let fields: Fields = {};
  return (piece) => {
    // A lone CR at the end may be the first half of CRLF: it waits for the next piece.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const events: ChatEvent[] = [];
    for (const line of lines) {
      if (line) readLine(line, fields);
      else {
        if (fields['data']) events.push(toEvent(fields));
        fields = {};
      }
    }
    return events;
  };
}
