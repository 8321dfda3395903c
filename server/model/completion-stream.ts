import { readCompletion } from './completion.ts';
import { SseParser, MAX_EVENT_BYTES } from './sse-parser.ts';
import { modelFailed } from './errors.ts';
import { Thinking } from './thinking.ts';

/** The body of a good reply, read as it comes. Its verbs throw a `Refusal` where the server does not keep to the format. */
export class CompletionStream {
  /** The server has said that nothing more comes, or nothing more is wanted. */
  ended = false;
  finish: string | undefined;
  /** As the server counts; undefined where it does not. */
  totalTokens: number | undefined;
  /** UTF-16 units of text so far, reasoning among them. */
  length = 0;

  readonly #onText: (piece: string) => void;
  readonly #scan = new SseParser();
  readonly #thinking = new Thinking();
  #begun = false;
  #ink = false;
  /** The body where it is one JSON object and no event stream. */
  #whole: Buffer[] | undefined;
  #wholeBytes = 0;

  constructor(onText: (piece: string) => void) {
    this.#onText = onText;
  }

  feed(chunk: Buffer): void {
    if (!this.#begun) this.#begin(chunk);
    if (this.#whole) this.#collect(chunk);
    else this.#scan.feed(chunk, this.#event);
  }

  /** The connection has delivered all. */
  end(): void {
    if (this.#whole) this.#event(Buffer.concat(this.#whole).toString('utf8'));
    else this.#scan.end(this.#event);
    if (!this.ended && this.finish === undefined) throw modelFailed('the stream was cut off');
    this.#over();
  }

  /** Some servers answer in one piece in spite of `stream: true`; an event never begins with a brace. */
  #begin(chunk: Buffer): void {
    const first = chunk.find((byte) => byte > 0x20);
    if (first === undefined) return;
    this.#begun = true;
    if (first === 0x7b) this.#whole = [];
  }

  #collect(chunk: Buffer): void {
    this.#wholeBytes += chunk.length;
    if (this.#wholeBytes > MAX_EVENT_BYTES) throw modelFailed('an unstreamed answer without end');
    this.#whole?.push(Buffer.from(chunk));
  }

  // Bound once: it is handed on with every chunk.
  readonly #event = (data: string): void => {
    if (this.ended) return;
    if (data === '[DONE]') return this.#over();
    const said = readCompletion(data);
    if (!said) return this.#unreadable(data);
    if (said.error !== undefined) throw modelFailed(`the model's stream held an error: ${said.error}`);
    if (said.finish !== undefined) this.finish = said.finish;
    if (said.totalTokens !== undefined) this.totalTokens = said.totalTokens;
    if (said.text !== '') this.#text(said.text);
  };

  /** Servers that end an event by one line end only put several into one; anything else that is no JSON is skipped. */
  #unreadable(data: string): void {
    if (data.includes('\n')) for (const line of data.split('\n')) this.#event(line);
  }

  #text(piece: string): void {
    this.length += piece.length;
    this.#show(this.#thinking.pass(piece));
  }

  #show(text: string): void {
    if (text === '') return;
    this.#ink ||= text.trim() !== '';
    this.#onText(text);
  }

  #over(): void {
    this.ended = true;
    this.#show(this.#thinking.rest());
    if (!this.#ink) throw modelFailed(`the model answered with nothing; its finish_reason: ${this.finish ?? 'none'}`);
  }
}
