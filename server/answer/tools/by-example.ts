import { isValueAlone } from '../../agents/collect/value-alone.ts';
import { functionByExample } from '../../agents/tool-examples.ts';
import { classOf } from '../../agents/tool-functions.ts';
import { declaredBy, type Values } from '../../agents/variables.ts';
import { isObject } from '../../schema/validate.ts';
import type { StoredAgent, StoredMessage } from '../../store/store.ts';
import type { Outcome } from '../../types.ts';
import type { AnswerContext } from '../context.ts';
import { metaIn, type MessageMeta } from '../message-records.ts';
import { plain } from './closing.ts';
import { LOOKUP_PHRASES } from './lookup-phrases.ts';
import type { ToolUse } from './tool-use.ts';
import { languageFor } from './with-tools.ts';

export interface ReplyByExample {
  text: string;
  outcome: Outcome;
  lookup?: MessageMeta['lookup'];
}

/**
 * What the function whose examples the question is clearly like replies, or that it could not be looked up, or what it
 * lacks; undefined where the question is like none. A message that gives the value which the one before lacked goes on with that.
 */
export async function replyByExample(
  tools: ToolUse,
  { tool_functions }: Pick<StoredAgent, 'tool_functions'>,
  context: AnswerContext,
): Promise<ReplyByExample | undefined> {
  const variables = [...declaredBy(context.agents).values()];
  const one =
    functionByExample(tool_functions, context.query.text, variables) ??
    tool_functions.find(
      (each) => each.uuid === context.continuedLookup && each.enabled === 1 && classOf(each) === 'read',
    );
  if (!one) return undefined;
  const { text, needed = [], missing = [] } = await tools.read(one);
  if (text !== undefined) return { text, outcome: 'answered' };
  const { failed, needs } = LOOKUP_PHRASES[languageFor(context, context.question)];
  if (needed.length === 0) return { text: failed, outcome: 'unknown' };
  const lookup = { function: one.uuid, needs: missing };
  return { text: `${needs} ${needed.map(plain).join(', ')}`, outcome: 'unknown', lookup };
}

/** What the answer before asked for to look something up. */
export function lookupBefore(turns: readonly StoredMessage[]): MessageMeta['lookup'] {
  const last = turns.at(-1);
  const lookup: unknown = last && metaIn(last).lookup;
  const isLookup = isObject(lookup) && typeof lookup['function'] === 'string' && Array.isArray(lookup['needs']);
  return isLookup ? (lookup as MessageMeta['lookup']) : undefined;
}

/** Whether a message gives a value that a lookup needs, and says nothing else. */
export function isGiven(
  { needs }: NonNullable<MessageMeta['lookup']>,
  message: string,
  collected: Values,
  agents: readonly StoredAgent[],
): boolean {
  const declared = declaredBy(agents);
  const given = needs.filter((name) => Object.hasOwn(collected, name)).flatMap((name) => declared.get(name) ?? []);
  return given.length > 0 && isValueAlone(message, [...declared.values()]);
}

/** What is said behind quotes that stand in for the model of an agent with functions, none of which was called. */
export const withoutModel = (context: AnswerContext): string =>
  context.tools && context.tools.called.length === 0
    ? `\n\n${LOOKUP_PHRASES[languageFor(context, context.question)].noModel}`
    : '';
