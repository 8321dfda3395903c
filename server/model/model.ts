import { Refusal } from '../schema/errors.ts';

/** The port of a model that writes answers from passages. Without one, `answer/extract/` quotes them. */
export interface Model {
  /**
   * Streams one answer. `onText` is called for each piece as it arrives, several times in one tick where several
   * arrived together; `done` rejects with a `ModelFailure`.
   */
  generate(request: ModelRequest, onText: (piece: string) => void): Generation;
  close(): Promise<void>;
}

/** Code `model_failed`, `model_timeout` or, with `retryAfter`, `unavailable`. */
export class ModelFailure extends Refusal {
  /** `unreachable`, `timeout`, `busy`, `bad_reply` or `status_` with the HTTP status: for records and `/readyz`, free of the server's own words. */
  readonly reason: string;

  constructor(reason: string, ...refusal: ConstructorParameters<typeof Refusal>) {
    super(...refusal);
    this.reason = reason;
  }
}

export interface ModelRequest {
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** 0 to 1. */
  temperature: number;
}

export interface Generation {
  done: Promise<{ finish: 'stop' | 'length'; totalTokens: number }>;
  /** Ends the generation early; `done` then resolves with what there was. */
  stop(): void;
}

/** The port of an embeddings server. Without one, search uses words only. */
export interface Embedder {
  /** The name of the model: vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * A vector of length 1 a text, in their order, all of as many dimensions. Rejects with a `Refusal`, as `generate`
   * does; after `patience` milliseconds at the latest, where they are given. With `TextsRefused` where it is the texts
   * that the server does not take.
   */
  embed(texts: string[], patience?: number): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Its message is for the log: it quotes none of them. */
export class TextsRefused extends Error {}
