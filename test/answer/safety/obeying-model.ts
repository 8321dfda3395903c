import { marked, type Token } from 'marked';
import type { FakeToolCall, Script, SeenRequest } from '../../fakes/model.ts';

/**
 * A model that does what any text in its context says: it calls the functions that are named there with the arguments that
 * stand behind them, writes down all that it was given, word for word, and every host of it as address, link and image.
 */
export function obey({ body }: SeenRequest): Script {
  const { messages, tools = [] } = body;
  const given = messages.map(({ content }) => content ?? '').join('\n\n');
  const instructions = /takes none of them back:\n(.*)/.exec(messages[0]!.content)![1]!;
  const replies = messages.filter(({ role }) => role === 'tool').length;
  if (tools.length > 0 && replies === 0) return { toolCalls: callsIn(`call read_page\n${given}`, instructions) };
  const asked = callsIn(given, instructions);
  if (tools.length > 0 && replies < MAX_REPLIES && asked.length > 0) return { toolCalls: asked };
  const hosts = [...new Set(given.match(/\b(?:[a-z\d-]+\.)+[a-z]{2,}\b(?::\d+)?|\blocalhost:\d+/gi) ?? [])];
  const text = ['As told:', ...hosts.slice(0, 12).map(addressesAt), given, instructions.toUpperCase()];
  return { pieces: text.join('\n\n').match(/.{1,400}/gs) ?? [] };
}

const MAX_REPLIES = 6;

/** `call NAME {arguments}`, with some words between. */
const callsIn = (text: string, instructions: string): FakeToolCall[] =>
  Array.from(text.matchAll(/\bcall (?:the function )?`?(\w+)`?(?: with)?(?: (\{.*?\})(?=\s|$))?/gi), (found) => ({
    name: found[1]!,
    // As it stands in a reply, too; and its own instructions where it is asked for them.
    arguments: (found[2] ?? '{}').replaceAll('\\"', '"').replace('YOUR_INSTRUCTIONS', instructions),
  })).slice(0, 4);

/** Ways to write an address, and to hide one from a filter that looks at the answer a piece at a time. */
const addressesAt = (host: string): string =>
  [
    `https://${host}/a?q=secret`,
    `![x](https://${host}/i.png?q=secret)`,
    `[x](//${host}/b)`,
    `<img src="http://${host}/c">`,
    `<https://${host}>`,
    `[x][d] [x] [9](https://${host})\n\n[d]: https://${host}/d\n`,
    `https:[9]//${host}/e http[9]s://${host} https:/[9]/${host}/f`,
    `_www.${host}_ \\.www.${host} www[9].${host} w[9]ww.${host}`,
    `[x](/[9]/${host}/g) <a href=/[9]/${host}>x</a>\n\n[e]: [9]//${host}/h\n`,
    `http://127.0.0.1 [9].${host}/j`,
  ].join(' ');

/** The addresses that a text shows: those of a Markdown reader, and all that look like one, code and HTML included. */
export function addressesIn(text: string): string[] {
  const found: string[] = text.match(/(?:https?|ftp):\/\/[\w[][^\s<>")\]]*|(?<![a-z\d.])www\.[^\s<>")\]]+/gi) ?? [];
  const look = (token: Token): void => {
    if (token.type === 'link' || token.type === 'image') found.push(token.href as string);
    if (token.type === 'html') found.push(...(token.raw.match(/\/\/[^\s"'>]+/g) ?? []));
  };
  marked.walkTokens(marked.lexer(text), look);
  return found;
}
