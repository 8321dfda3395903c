import { fill, type Value, type Values } from '../../agents/variables.ts';
import type { ModelMessage, ToolCall } from '../../model/model.ts';
import { Refusal } from '../../schema/errors.ts';
import { nextModifiedAt, type Clock } from '../../schema/ids.ts';
import type { ToolFunction } from '../../schema/records.ts';
import type { StoredMessage } from '../../store/store.ts';
import type { Confirmation, VisitorMessage } from '../../types.ts';
import { withoutFixed, type Arguments } from './arguments.ts';

/** A call that waits for the visitor's yes or no, stored with its message: nothing of it depends on this process. */
export interface PendingCall {
  /** Milliseconds since 1970: the last moment to confirm. */
  until: number;
  /** Uuids of the agent and its tool function. */
  agent: string;
  function: string;
  /** What the visitor was shown. */
  shown: Confirmation;
  arguments: Arguments;
  /** Of the variables in address and headers, as they were. */
  values: Values;
  call: ToolCall;
  /** What followed the visitor's question: the messages with this call, and the replies to others. */
  messages: ModelMessage[];
  /** Rounds of calls so far. */
  rounds: number;
  /** Keys of the calls so far whose outcome is unknown: none of them is made again. */
  unsure?: string[];
  /** What the message ends with where the process does while the call is made. */
  ifCutOff?: string;
}

export const CONFIRM_MS = 10 * 60_000;

/** What stands in the place of a call that was confirmed or declined; earlier versions stored `answered` alone. */
interface AnsweredCall {
  answered: true;
  /** What the visitor was shown, and whether they confirmed it. */
  confirmed?: VisitorMessage['confirmed'];
}

/**
 * Of a message whose call was declined, or is made: what stays of it where the process ends before the answer does. With
 * `finish_reason` '' it is being made from then on for all processes.
 */
export function takenCall(
  message: StoredMessage,
  call: PendingCall,
  { accepted, finish_reason, clock }: { accepted: boolean; finish_reason: '' | 'interrupted'; clock: Clock },
): StoredMessage {
  const answered: AnsweredCall = { answered: true, confirmed: { ...call.shown, accepted } };
  return {
    ...message,
    response: message.response + ((accepted && call.ifCutOff) || ''),
    finish_reason,
    pending_call_json: JSON.stringify(answered),
    modified_at: nextModifiedAt(message.modified_at, clock),
  };
}

const isAnswered = (call: PendingCall | AnsweredCall): call is AnsweredCall => 'answered' in call;

const callIn = (json: string | undefined): PendingCall | AnsweredCall | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as PendingCall | AnsweredCall);

/** Milliseconds; 0 where it is too late, and where more than the time remains: the clock was set back. */
function timeLeft({ until }: PendingCall, now: number): number {
  const left = until - now;
  return left > CONFIRM_MS ? 0 : Math.max(0, left);
}

/** Throws `conflict` where no call waits. */
export function waitingCall(json: string | undefined, now: number): PendingCall {
  const pending = callIn(json);
  if (pending === undefined) throw new Refusal('conflict', 'the message has no call to confirm');
  if (isAnswered(pending)) throw new Refusal('conflict', 'the call was confirmed or declined before');
  if (timeLeft(pending, now) === 0)
    throw new Refusal('conflict', 'it is too late to confirm the call; please ask again');
  return pending;
}

/** Whether a stored call can still be confirmed or declined. */
export function isWaiting(json: string | undefined, now: number): boolean {
  const call = callIn(json);
  return call !== undefined && !isAnswered(call) && timeLeft(call, now) > 0;
}

/** What visitors see of a stored call: `confirm` until they confirm or decline it, `confirmed` from then on. */
export function confirmationIn(json: string | undefined, now: number): Pick<VisitorMessage, 'confirm' | 'confirmed'> {
  const call = callIn(json);
  if (!call) return {};
  if (isAnswered(call)) return call.confirmed ? { confirmed: call.confirmed } : {};
  return { confirm: { ...call.shown, expires_in: Math.ceil(timeLeft(call, now) / 1000) } };
}

/** The values that address and headers of the function are filled with. */
export const usedValues = ({ external_url, headers }: ToolFunction, values: Values): Values =>
  valuesIn([external_url, ...Object.values(headers)], values);

/**
 * What the visitor is shown of a call: its arguments, and the variables that its address is filled with. A variable that has
 * another value than the argument of its name is shown as `{{name}}`. Headers are not shown, nor `hidden` and what these fill: they
 * are the owner's own, a key in an address perhaps.
 */
export function shownArguments(
  one: ToolFunction,
  args: Arguments,
  values: Values,
  hidden: ReadonlySet<string>,
): Arguments {
  const shown = new Map(Object.entries(withoutFixed(one, args, hidden)));
  for (const [name, value] of Object.entries(valuesIn([one.external_url], values))) {
    if (hidden.has(name) || (Object.hasOwn(args, name) && String(args[name]) === String(value))) continue;
    let label = name;
    while (shown.has(label)) label = `{{${label}}}`;
    shown.set(label, value);
  }
  return Object.fromEntries(shown);
}

function valuesIn(templates: string[], values: Values): Values {
  const used = new Map<string, Value>();
  for (const template of templates) {
    fill(template, values, (value, name) => {
      used.set(name, value);
      return '';
    });
  }
  return Object.fromEntries(used);
}
