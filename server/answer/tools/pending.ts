import { fill, type Value, type Values } from '../../agents/variables.ts';
import type { ModelMessage, ToolCall } from '../../model/model.ts';
import { Refusal } from '../../schema/errors.ts';
import type { ToolFunction } from '../../schema/records.ts';
import type { ChatEvent } from '../../types.ts';
import type { Arguments } from './arguments.ts';

/** A call that waits for the visitor's yes or no, stored with its message: nothing of it depends on this process. */
export interface PendingCall {
  /** Milliseconds since 1970: the last moment to confirm. */
  until: number;
  /** Uuids of the agent and its tool function. */
  agent: string;
  function: string;
  /** What the visitor was shown. */
  shown: Extract<ChatEvent, { event: 'confirm' }>['data'];
  arguments: Arguments;
  /** Of the variables in address and headers, as they were. */
  values: Values;
  call: ToolCall;
  /** What followed the visitor's question: the messages with this call, and the replies to others. */
  messages: ModelMessage[];
  /** Rounds of calls so far. */
  rounds: number;
}

export const CONFIRM_MS = 10 * 60_000;

/** What stands in the place of a call that was confirmed or declined. */
export const ANSWERED = '{"answered":true}';

/** Undefined where there is none that waits; `late` after its time. */
function pendingIn(json: string | undefined, now: number): PendingCall | 'answered' | 'late' | undefined {
  if (json === undefined) return undefined;
  const stored = JSON.parse(json) as PendingCall | { answered: true };
  if ('answered' in stored) return 'answered';
  // More than the time remains where the clock was set back.
  return now <= stored.until && stored.until - now <= CONFIRM_MS ? stored : 'late';
}

/** Throws `conflict` where no call waits. */
export function waitingCall(json: string | undefined, now: number): PendingCall {
  const pending = pendingIn(json, now);
  if (pending === undefined) throw new Refusal('conflict', 'the message has no call to confirm');
  if (pending === 'answered') throw new Refusal('conflict', 'the call was confirmed or declined before');
  if (pending === 'late') throw new Refusal('conflict', 'it is too late to confirm the call; please ask again');
  return pending;
}

/** What visitors are shown of a stored call that they can confirm. */
export function shownIn(json: string | undefined, now: number): PendingCall['shown'] | undefined {
  const pending = pendingIn(json, now);
  return typeof pending === 'object' ? pending.shown : undefined;
}

/** The values that address and headers of the function are filled with. */
export function usedValues({ external_url, headers }: ToolFunction, values: Values): Values {
  const used: Record<string, Value> = {};
  for (const template of [external_url, ...Object.values(headers)]) {
    fill(template, values, (value, name) => {
      used[name] = value;
      return '';
    });
  }
  return used;
}
