import { functionByExample } from '../../agents/tool-examples.ts';
import type { StoredAgent } from '../../store/store.ts';
import type { Outcome } from '../../types.ts';
import type { AnswerContext } from '../context.ts';
import { plain } from './closing.ts';
import { LOOKUP_PHRASES } from './lookup-phrases.ts';
import type { ToolUse } from './tool-use.ts';
import { languageFor } from './with-tools.ts';

export interface ReplyByExample {
  text: string;
  outcome: Outcome;
}

/**
 * What the function whose examples the question is clearly like replies, or that it could not be looked up, or what it
 * lacks; undefined where the question is like none.
 */
export async function replyByExample(
  tools: ToolUse,
  { tool_functions }: Pick<StoredAgent, 'tool_functions'>,
  context: AnswerContext,
): Promise<ReplyByExample | undefined> {
  const one = functionByExample(tool_functions, context.query.text);
  if (!one) return undefined;
  const { text, needed = [] } = await tools.read(one);
  if (text !== undefined) return { text, outcome: 'answered' };
  const { failed, needs } = LOOKUP_PHRASES[languageFor(context, context.question)];
  return { text: needed.length > 0 ? `${needs} ${needed.map(plain).join(', ')}` : failed, outcome: 'unknown' };
}

/** What is said behind quotes that stand in for the model of an agent with functions, none of which was called. */
export const withoutModel = (context: AnswerContext): string =>
  context.tools && context.tools.called.length === 0
    ? `\n\n${LOOKUP_PHRASES[languageFor(context, context.question)].noModel}`
    : '';
