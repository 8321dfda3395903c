/** Tags between which some models write their reasoning into the answer itself, always before all else. */
const OPENING = /^\s*<(think|thinking)>/i;
const TAGS = ['<think>', '<thinking>'];
const CLOSING = { think: /<\/think>/i, thinking: /<\/thinking>/i };
/** UTF-16 units that may be all but the last of a closing tag. */
const TAIL = '</thinking'.length;

/**
 * Takes the reasoning out of an answer that comes in pieces: blocks of `<think>` or `<thinking>` at its very beginning, one
 * that is never closed among them. After the first other sign everything passes, so an answer may be about such tags.
 */
export class Thinking {
  /** The answer's beginning while it may become a tag; within a block what may become its end. */
  #held = '';
  #closing: RegExp | undefined;
  #over = false;

  /** What of the piece is answer. */
  pass(piece: string): string {
    return this.#over ? piece : this.#look(this.#held + piece);
  }

  /** What was held back, once the answer has ended. */
  rest(): string {
    const rest = this.#closing ? '' : this.#held;
    this.#held = '';
    return rest;
  }

  #look(text: string): string {
    let rest = text;
    for (;;) {
      if (this.#closing) {
        const end = this.#closing.exec(rest);
        if (!end) return this.#hold(rest.slice(-TAIL));
        rest = rest.slice(end.index + end[0].length);
        this.#closing = undefined;
      }
      const opening = OPENING.exec(rest);
      if (!opening) break;
      rest = rest.slice(opening[0].length);
      this.#closing = CLOSING[opening[1]!.toLowerCase() as keyof typeof CLOSING];
    }
    const start = rest.trimStart();
    if (TAGS.some((tag) => tag.startsWith(start.toLowerCase()))) return this.#hold(start);
    this.#over = true;
    this.#held = '';
    return rest;
  }

  #hold(text: string): '' {
    this.#held = text;
    return '';
  }
}

/** The answer that a whole text holds. */
export function withoutThinking(text: string): string {
  const thinking = new Thinking();
  return thinking.pass(text) + thinking.rest();
}
