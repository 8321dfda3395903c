import type { ModelMessage, ModelRequest } from './model.ts';

/** The body of `POST …/chat/completions`. */

/** Omitted for servers that reject them; a server that rejects `max_tokens` gets `max_completion_tokens`. */
export type OptionalField =
  'stream_options' | 'temperature' | 'tools' | 'response_format' | 'max_tokens' | 'max_completion_tokens';

/** `model`: its name at the server. */
export function requestBody(request: ModelRequest, model: string, rejected: ReadonlySet<OptionalField>): string {
  const optional = optionalFields(request, rejected);
  return JSON.stringify({ model, messages: request.messages.map(wireMessage), stream: true, ...optional });
}

function optionalFields(
  { temperature, tools, json, maxTokens }: ModelRequest,
  rejected: ReadonlySet<OptionalField>,
): Partial<Record<OptionalField, unknown>> {
  const limit = rejected.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens';
  const fields: Partial<Record<OptionalField, unknown>> = { temperature, stream_options: { include_usage: true } };
  if (tools && tools.length > 0) fields.tools = tools.map((tool) => ({ type: 'function', function: tool }));
  if (json) fields.response_format = { type: 'json_object' };
  if (maxTokens !== undefined) fields[limit] = maxTokens;
  for (const field of rejected) delete fields[field];
  return fields;
}

function wireMessage(message: ModelMessage): object {
  const { role } = message;
  const content = withoutTemplateMarks(message.content);
  if (role === 'tool') return { role, tool_call_id: message.callId, content };
  if (role !== 'assistant' || !message.toolCalls?.length) return { role, content };
  const calls = message.toolCalls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  // Some servers take '' beside calls for an empty answer.
  return { role, content: content || null, tool_calls: calls };
}

/**
 * Without the marks by which chat templates tell messages apart, as those of ChatML, Llama, DeepSeek, Gemma and Mistral: some
 * servers read them in the text of a message as well, which would end there.
 */
const withoutTemplateMarks = (text: string): string =>
  text.replace(/<(?=[|｜][^<>\s]{1,40}[|｜]>|(?:start|end)_of_turn>)/g, '‹').replace(/\[(?=\/?INST\])/g, '(');

/** The field to omit after a rejection: the one that it names, or, from a server that has accepted nothing yet, the less common one. */
export function rejectedField(
  { status, body }: { status: number; body: string },
  request: ModelRequest,
  rejected: ReadonlySet<OptionalField>,
  hasAccepted: boolean,
): OptionalField | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const sent = Object.keys(optionalFields(request, rejected)) as OptionalField[];
  const named = sent.find((field) => body.includes(field));
  if (named) return named;
  // Some servers add the tokens of the answer to those of the prompt, and name neither field.
  const limit = sent.find((field) => field === 'max_tokens' || field === 'max_completion_tokens');
  if (limit && /\bcontext length\b/i.test(body)) return limit;
  // Servers that support no tools write of “tool choice” as well.
  if (sent.includes('tools') && /\btool\b/.test(body)) return 'tools';
  return hasAccepted ? undefined : sent.find((field) => field === 'stream_options');
}

/** What a request says: contents, and the arguments of calls. */
export const textsOf = ({ messages }: ModelRequest): string[] =>
  messages.flatMap((message) => [
    message.content,
    ...(message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments) : []),
  ]);
