import { modelFailed } from './errors.ts';
import type { ToolCall } from './model.ts';

/** Calls of one answer, and UTF-16 units of all their arguments together: what is more is no answer. */
const [MAX_CALLS, MAX_ARGUMENTS] = [32, 200_000];
/** UTF-16 units that are sent back to the server. */
const [MAX_ID, MAX_NAME] = [100, 64];

/** A piece of a call as a server wrote it: any of it may be missing or of another type. */
interface Piece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface Call {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** Assembles tool calls from the pieces of a stream, in which those of several calls may take turns. */
export class ToolCalls {
  readonly #calls: Call[] = [];
  #length = 0;

  /**
   * Returns the UTF-16 units of arguments that were added. Ignores what is no piece of a call. Throws `model_failed` where
   * the calls exceed the limits.
   */
  add(pieces: unknown): number {
    const before = this.#length;
    if (!Array.isArray(pieces)) return 0;
    for (const piece of pieces as unknown[])
      if (typeof piece === 'object' && piece !== null) this.#addPiece(piece as Piece);
    return this.#length - before;
  }

  /** Those that name a function. */
  complete(): ToolCall[] {
    const named = this.#calls.filter(({ name }) => name !== '');
    return named.map(({ id, name, arguments: written }, at) => {
      const isOwn = id !== '' && named.findIndex((call) => call.id === id) === at;
      return { id: isOwn ? id : `call_${at}`, name: usableName(name), arguments: written };
    });
  }

  #addPiece({ index, id, function: called }: Piece): void {
    const name = textOf(called?.name);
    const call = this.#callOf(typeof index === 'number' ? index : undefined, textOf(id), name);
    call.id ||= textOf(id).slice(0, MAX_ID);
    // Some servers repeat the name with each piece.
    call.name ||= name;
    const written = argumentsOf(called?.arguments);
    call.arguments += written;
    this.#length += written.length;
    if (this.#length > MAX_ARGUMENTS) throw modelFailed('tool calls without end');
  }

  /**
   * The call that a piece belongs to: that of its index, or the last one where it has none. Some servers give all calls the
   * same index or none: a name with another id begins a new call.
   */
  #callOf(index: number | undefined, id: string, name: string): Call {
    const known = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index);
    const isOther = known && name !== '' && known.name !== '' && id.slice(0, MAX_ID) !== known.id;
    if (known && !isOther) return known;
    if (this.#calls.length === MAX_CALLS) throw modelFailed('tool calls without end');
    const call = { index, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some servers write the object itself. */
const argumentsOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);

/** Servers reject a message with a name of another form. */
const usableName = (name: string): string => name.slice(0, MAX_NAME).replace(/[^\w-]/g, '_');
