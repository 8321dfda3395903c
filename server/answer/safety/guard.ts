/** A filter of streamed text. */
export interface TextFilter {
  /** Returns the text that may be shown now; to be appended to the answer before the next call. */
  pass(piece: string): string;
  /** Returns the text that is still held back, at the end. */
  rest(): string;
}

/** `last`, with the others before it: they see what the model writes, in this order, and `last` what they leave. */
export function guarded<T extends TextFilter>(
  last: T,
  others: readonly TextFilter[],
  append: (text: string) => void,
): T {
  const passFrom = (at: number, piece: string): string => {
    let text = piece;
    for (let i = at; i < others.length && text !== ''; i++) text = others[i]!.pass(text);
    return text === '' ? '' : last.pass(text);
  };
  return {
    ...last,
    pass: (piece) => passFrom(0, piece),
    rest() {
      for (const [at, one] of others.entries()) append(passFrom(at + 1, one.rest()));
      return last.rest();
    },
  };
}
