import { jsonIn } from '../schema/json.ts';

/** One event of a streamed completion, or a whole completion that was not streamed. */
interface CompletionEvent {
  text: string;
  /** As the server wrote it; undefined while the answer goes on. */
  finish: string | undefined;
  usage: Usage | undefined;
  /** Pieces of tool calls as the server wrote them; not checked. */
  toolCalls: unknown;
  /** The code or type of an `error` object, never its message, which may quote the question. */
  error: string | undefined;
}

/** As the server counts. */
export interface Usage {
  total: number;
  /** Undefined where the server gives the total alone. */
  prompt: number | undefined;
  completion: number | undefined;
}

interface WireCompletion {
  choices?: { delta?: WireMessage; message?: WireMessage; finish_reason?: unknown }[];
  usage?: { total_tokens?: unknown; prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: unknown;
}

/** `content` is the answer; other fields, such as reasoning, are ignored. */
interface WireMessage {
  content?: unknown;
  tool_calls?: unknown;
}

/** Undefined where the data is no JSON object. */
export function readCompletion(data: string): CompletionEvent | undefined {
  const wire = parseObject(data) as WireCompletion | undefined;
  if (!wire) return undefined;
  const choice = Array.isArray(wire.choices) ? wire.choices[0] : undefined;
  const finish = choice?.finish_reason;
  const message = choice?.delta ?? choice?.message;
  return {
    text: textOf(message?.content),
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
    usage: wire.usage ? usageOf(wire.usage) : undefined,
    toolCalls: message?.tool_calls,
    error: wire.error ? errorWord(wire.error) : undefined,
  };
}

export function parseObject(text: string): object | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Some servers write the content as a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { type?: unknown; text?: unknown }) => (isText(part) ? part.text : '')).join('');
}

const isText = (part: { type?: unknown; text?: unknown } | null): part is { type: 'text'; text: string } =>
  part?.type === 'text' && typeof part.text === 'string';

function usageOf(usage: NonNullable<WireCompletion['usage']>): Usage | undefined {
  const [prompt, completion] = [tokens(usage.prompt_tokens), tokens(usage.completion_tokens)];
  const total = tokens(usage.total_tokens ?? Number(usage.prompt_tokens) + Number(usage.completion_tokens));
  return total === undefined ? undefined : { total, prompt, completion };
}

const tokens = (count: unknown): number | undefined =>
  typeof count === 'number' && Number.isFinite(count) && count >= 0 ? Math.round(count) : undefined;

function errorWord(error: unknown): string {
  const { code, type } = Object(error) as { code?: unknown; type?: unknown };
  const word = [code, type].map(String).find((one) => /^[\w.-]{1,64}$/.test(one) && !/^(undefined|null)$/.test(one));
  return word ?? 'unnamed';
}
