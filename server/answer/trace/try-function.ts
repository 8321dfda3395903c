import { declaredBy, staticNames, valuesOf, type Values } from '../../agents/variables.ts';
import { classOf } from '../../agents/tool-functions.ts';
import { invalid } from '../../schema/errors.ts';
import type { Clock } from '../../schema/ids.ts';
import type { ToolFunction } from '../../schema/records.ts';
import type { FunctionTrial } from '../../schema/trace.ts';
import type { StoredAgent } from '../../store/store.ts';
import { CallFailure, type Caller } from '../../web/call.ts';
import { readArguments, type Arguments } from '../tools/arguments.ts';
import { outcomeOf } from '../tools/reply.ts';
import { requestOf, sendHidden } from '../tools/request.ts';

/** UTF-16 units of an answer that is shown; a model gets as many. */
const MAX_TRIAL_LENGTH = 16_000;

interface Tried {
  one: ToolFunction;
  /** Whose function it is, before all others of the chatbot. */
  agents: readonly StoredAgent[];
  sent: Arguments;
  /** Values of variables, as a key holder creates a session with them. */
  variables: Values;
  /** Called once the request is known to fit, before it is sent. */
  beforeCall(): Promise<void>;
}

/**
 * Calls a function as an answer does: the same check of arguments, address guard and hiding of secrets, whatever its class.
 * Stores nothing. Throws `invalid` where arguments or variables do not fit.
 */
export async function tryFunction(
  { caller, clock }: { caller: Pick<Caller, 'call'>; clock: Clock },
  { one, agents, sent, variables: initial, beforeCall }: Tried,
): Promise<FunctionTrial> {
  const hidden = staticNames(declaredBy(agents));
  const values = valuesOf(agents, { initial_variables: initial, by_key: true });
  const read = readArguments(one, JSON.stringify(sent), values, hidden);
  if ('fault' in read) throw invalid('arguments', `arguments do not fit the parameters: ${read.fault}`);
  // Without declarations, a variable that has no value is named as such: there is no visitor to ask for it.
  const session = { values, variables: new Map(), hidden, collected: new Set<string>() };
  const request = requestOf(one, read.args, values, session);
  if ('fault' in request) throw invalid('variables', `variables do not fit: ${request.fault}`);
  await beforeCall();
  const start = clock();
  const trial = { status: 0, ms: 0, answer: '', is_cut: false, error: '' };
  try {
    const reply = await sendHidden(caller, request, new AbortController().signal);
    const { status, text } = reply;
    const answer = text.slice(0, MAX_TRIAL_LENGTH).toWellFormed();
    const outcome = outcomeOf(reply, classOf(one) !== 'read');
    return { ...trial, outcome, status, ms: clock() - start, answer, is_cut: text.length > MAX_TRIAL_LENGTH };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const outcome = classOf(one) !== 'read' && error.wasSent ? 'unsure' : 'failed';
    return { ...trial, outcome, ms: clock() - start, error: error.message };
  }
}
