import type { ModelMessage } from '../../model/model.ts';
import { estimateTokens } from '../../model/tokens.ts';

/** Tokens around a message or a call: its role, id and name. */
const CALL_FRAME_TOKENS = 30;
/** Tokens that a reply keeps at least. */
const MIN_REPLY = 100;
const CUT = 'shortened: the context is full';
/** Tokens of the arguments of a call that are kept in any case. */
const MAX_KEPT_ARGUMENTS = 100;

/**
 * The messages of a request in at most `room` tokens, where what follows the visitor's message can be shortened so far:
 * texts before calls and long arguments are left out, and replies shortened, those of the oldest round first. Each call
 * keeps its reply.
 */
export function fitRounds(messages: ModelMessage[], room: number): ModelMessage[] {
  if (room === Infinity) return messages;
  let excess = messages.reduce((sum, one) => sum + tokensOf(one), -room);
  const start = messages.findLastIndex(({ role }) => role === 'user') + 1;
  return messages.map((message, at) => {
    if (at < start || excess <= 0) return message;
    const shorter = shortened(message, excess);
    excess -= tokensOf(message) - tokensOf(shorter);
    return shorter;
  });
}

function tokensOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return calls.reduce(
    (sum, call) => sum + estimateTokens(call.arguments) + CALL_FRAME_TOKENS,
    estimateTokens(message.content) + CALL_FRAME_TOKENS,
  );
}

function shortened(message: ModelMessage, excess: number): ModelMessage {
  if (message.role === 'tool') return { ...message, content: shortenedReply(message.content, excess) };
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map((call) =>
    estimateTokens(call.arguments) > MAX_KEPT_ARGUMENTS ? { ...call, arguments: '{}' } : call,
  );
  return { ...message, content: '', toolCalls };
}

/** `content` as in `reply.ts`: JSON, with the reply as text from now on. */
function shortenedReply(content: string, excess: number): string {
  const most = Math.max(MIN_REPLY, estimateTokens(content) - excess);
  const { reply = '', ...told } = JSON.parse(content) as Record<string, unknown>;
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
  let [length, shorter, tokens] = [text.length, content, estimateTokens(content)];
  while (tokens > most && length > 0) {
    length = Math.floor(length * Math.min(0.95, most / tokens));
    shorter = JSON.stringify({ ...told, cut: CUT, reply: text.slice(0, length).toWellFormed() });
    tokens = estimateTokens(shorter);
  }
  return shorter;
}
