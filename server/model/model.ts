/** The port of a model that writes answers from passages. Without one, `answer/extract/` quotes them. */
export interface Model {
  /**
   * Streams one answer. `onText` is called for each piece as it arrives, several times in one tick where several
   * arrived together. `done` rejects with an `OutboundFailure` of code `model_failed`, `model_timeout` or, with
   * `retryAfter`, `unavailable`.
   */
  generate(request: ModelRequest, onText: (piece: string) => void): Generation;
  close(): Promise<void>;
}

export interface ModelRequest {
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** 0 to 1. */
  temperature: number;
}

export interface Generation {
  done: Promise<{ finish: 'stop' | 'length'; totalTokens: number }>;
  /** Ends the generation early; `done` then resolves with the result so far. */
  stop(): void;
}

/** The port of an embeddings server. Without one, search uses words only. */
export interface Embedder {
  /** The name of the model: vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * A vector of length 1 for each text, in order, all of the same dimensions. Rejects as `generate` does, after `timeout`
   * milliseconds at the latest (none by default), and with `TextsRefused` where the server rejects the texts.
   */
  embed(texts: string[], timeout?: number): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The message is for the log: it quotes none of the texts. */
export class TextsRefused extends Error {}
