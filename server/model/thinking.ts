/** Some models write their reasoning at the beginning of the answer, between these tags. */
const OPENING = /^\s*<(think|thinking)>/i;
const TAGS = ['<think>', '<thinking>'];
const CLOSING = { think: /<\/think>/i, thinking: /<\/thinking>/i };
/** UTF-16 units of the longest closing tag without its last one: a tag that is not complete yet. */
const MAX_PARTIAL_TAG = '</thinking'.length;

/**
 * Removes reasoning from an answer that comes in pieces: blocks of `<think>` or `<thinking>` at its beginning, also one that
 * is never closed. Everything after the first other character passes, since an answer may be about such tags.
 */
export class Thinking {
  /** The beginning of the answer while it may be part of a tag; in a block the characters that may be part of its end. */
  #buffer = '';
  #closing: RegExp | undefined;
  #isPast = false;

  /** The part of the piece that is answer. */
  pass(piece: string): string {
    return this.#isPast ? piece : this.#scan(this.#buffer + piece);
  }

  /** The buffered characters, once the answer has ended. */
  rest(): string {
    const rest = this.#closing ? '' : this.#buffer;
    this.#buffer = '';
    return rest;
  }

  #scan(text: string): string {
    let rest = text;
    for (;;) {
      if (this.#closing) {
        const end = this.#closing.exec(rest);
        if (!end) return this.#store(rest.slice(-MAX_PARTIAL_TAG));
        rest = rest.slice(end.index + end[0].length);
        this.#closing = undefined;
      }
      const opening = OPENING.exec(rest);
      if (!opening) break;
      rest = rest.slice(opening[0].length);
      this.#closing = CLOSING[opening[1]!.toLowerCase() as keyof typeof CLOSING];
    }
    const start = rest.trimStart();
    if (TAGS.some((tag) => tag.startsWith(start.toLowerCase()))) return this.#store(start);
    this.#isPast = true;
    this.#buffer = '';
    return rest;
  }

  #store(text: string): '' {
    this.#buffer = text;
    return '';
  }
}

/** The answer in a whole text. */
export function withoutThinking(text: string): string {
  const thinking = new Thinking();
  return thinking.pass(text) + thinking.rest();
}
