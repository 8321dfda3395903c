/** The Model port: whatever writes an answer from passages. Without one, `answer/quote.ts` quotes them. */
export interface Model {
  /**
   * Streams one answer. `onText` is called for each piece as it arrives, several times in one tick where several
   * arrived together; `done` rejects with a `Refusal` of code `model_failed` or `model_timeout`.
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
  /** Ends the generation early; `done` then resolves with what there was. */
  stop(): void;
}
