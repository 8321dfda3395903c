import { readCompletion, type Usage } from './completion.ts';
import { SseParser, MAX_EVENT_BYTES } from './sse-parser.ts';
import { modelFailed } from './errors.ts';
import type { ToolCall } from './model.ts';
import { Thinking } from './thinking.ts';
import { ToolCalls } from './tool-calls.ts';

/** Reads the body of a good reply as it arrives. Throws a `Refusal` where the server does not follow the format. */
export class CompletionStream {
  /** The stream is complete, or the rest of it is ignored. */
  ended = false;
  finish: string | undefined;
  /** Undefined where the server counts none. */
  usage: Usage | undefined;
  /** UTF-16 units so far: text, including reasoning, and arguments of calls. */
  length = 0;
  /** Of these, what is neither reasoning nor held back. */
  visibleLength = 0;

  readonly #onText: (piece: string) => void;
  readonly #parser = new SseParser();
  readonly #thinking = new Thinking();
  #hasBegun = false;
  /** Text other than white space has come. */
  #hasText = false;
  readonly #calls: ToolCalls | undefined;
  /** The chunks of a body that is one JSON object and not an event stream. */
  #whole: Buffer[] | undefined;
  #wholeBytes = 0;

  /** Without `offersTools` calls are ignored: no caller waits for them. */
  constructor(onText: (piece: string) => void, offersTools: boolean) {
    this.#onText = onText;
    this.#calls = offersTools ? new ToolCalls() : undefined;
  }

  /** The calls so far; empty where there are none. */
  toolCalls(): ToolCall[] {
    return this.#calls?.complete() ?? [];
  }

  feed(chunk: Buffer): void {
    if (!this.#hasBegun) this.#begin(chunk);
    if (this.#whole) this.#collect(chunk);
    else this.#parser.feed(chunk, this.#event);
  }

  /** The reply is complete. */
  end(): void {
    if (this.#whole) this.#event(Buffer.concat(this.#whole).toString('utf8'));
    else this.#parser.end(this.#event);
    if (!this.ended && this.finish === undefined) throw modelFailed('the stream was cut off');
    this.#complete();
  }

  /** Some servers send one JSON object in spite of `stream: true`; an event never begins with a brace. */
  #begin(chunk: Buffer): void {
    const first = chunk.find((byte) => byte > 0x20);
    if (first === undefined) return;
    this.#hasBegun = true;
    if (first === 0x7b) this.#whole = [];
  }

  #collect(chunk: Buffer): void {
    this.#wholeBytes += chunk.length;
    if (this.#wholeBytes > MAX_EVENT_BYTES) throw modelFailed('an unstreamed answer without end');
    this.#whole?.push(Buffer.from(chunk));
  }

  // Bound once: it is passed with every chunk.
  readonly #event = (data: string): void => {
    if (this.ended) return;
    if (data === '[DONE]') return this.#complete();
    const event = readCompletion(data);
    if (!event) return this.#unreadable(data);
    if (event.error !== undefined) throw modelFailed(`the model's stream held an error: ${event.error}`);
    if (event.finish !== undefined) this.finish = event.finish;
    if (event.usage !== undefined) this.usage = event.usage;
    if (event.text !== '') this.#text(event.text);
    if (event.toolCalls && this.#calls) this.#call(this.#calls, event.toolCalls);
  };

  /** Servers that end an event with one line end put several into one. Other data that is not JSON is skipped. */
  #unreadable(data: string): void {
    if (data.includes('\n')) for (const line of data.split('\n')) this.#event(line);
  }

  #text(piece: string): void {
    this.length += piece.length;
    this.#show(this.#thinking.pass(piece));
  }

  #call(calls: ToolCalls, pieces: unknown): void {
    const added = calls.add(pieces);
    this.length += added;
    this.visibleLength += added;
  }

  #show(text: string): void {
    if (text === '') return;
    this.visibleLength += text.length;
    this.#hasText ||= text.trim() !== '';
    this.#onText(text);
  }

  #complete(): void {
    this.ended = true;
    this.#show(this.#thinking.rest());
    if (!this.#hasText && this.toolCalls().length === 0)
      throw modelFailed(`the model answered with nothing; its finish_reason: ${this.finish ?? 'none'}`);
  }
}
