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
  /** The model that the agent names; the operator's default where it is absent. */
  model?: string | undefined;
  messages: ModelMessage[];
  /** Owners take turns where calls have to wait: the chatbot. */
  owner?: string | undefined;
  /** Nobody waits for the result: it has its turn after all others. */
  isBackground?: true | undefined;
  /** It goes on with an answer whose functions were called: it has its turn before all others, and is not refused. */
  isContinued?: true | undefined;
  /** 0 to 1. */
  temperature: number;
  /** Functions that the model may call; a server that supports none gets the request without them. */
  tools?: readonly ModelTool[] | undefined;
  /** Asks for one JSON object as the answer. The prompt has to say “JSON” too; the reply is still to be validated. */
  json?: true | undefined;
  /** Tokens of the answer; the server's own limit by default. */
  maxTokens?: number | undefined;
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] | undefined }
  /** The reply to the call of this id, which the assistant's message before it holds. */
  | { role: 'tool'; content: string; callId: string };

export interface ModelTool {
  /** 1 to 64 of letters, digits, `_` and `-`. */
  name: string;
  description: string;
  /** A JSON schema of type `object`. */
  parameters: object;
}

/** A call as the model wrote it: nothing about it is checked but that it can be sent back in a message. */
export interface ToolCall {
  /** Unlike the others of its answer. */
  id: string;
  /** In the form of a tool's name, but perhaps none of those that were offered. */
  name: string;
  /** Meant to be a JSON object. */
  arguments: string;
}

export interface Generation {
  done: Promise<Generated>;
  /** Ends the generation early; `done` then resolves with the result so far. */
  stop(): void;
}

export interface Generated {
  /** `length` also where a call was cut off. */
  finish: 'stop' | 'length' | 'tool_calls';
  /** As the server counts, or estimated where it does not. */
  totalTokens: number;
  promptTokens: number;
  completionTokens: number;
  /** Empty where the model called nothing. */
  toolCalls: ToolCall[];
}

/** The port of an embeddings server. Without one, search uses words only. */
export interface Embedder {
  /** The name of the model: vectors of different models cannot be compared. */
  readonly model: string;
  /** How many sentences it embeds while a visitor waits. */
  readonly sentences: number;
  /**
   * A vector of length 1 for each text, in order, all of the same dimensions. Rejects as `generate` does, after `timeout`
   * milliseconds at the latest (none by default), and with `TextsRefused` where the server rejects the texts.
   */
  embed(texts: string[], timeout?: number): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The message is for the log: it quotes none of the texts. */
export class TextsRefused extends Error {}
