import { classOf, stepOf } from '../../agents/tool-functions.ts';
import type { Declared, Values } from '../../agents/variables.ts';
import type { Generated, Generation, Model, ModelMessage, ModelRequest, ToolCall } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import type { ToolFunction } from '../../schema/records.ts';
import type { StoredAgent } from '../../store/store.ts';
import type { Part } from '../../types.ts';
import { CallFailure, type Caller } from '../../web/call.ts';
import { roomIn } from '../fit-context.ts';
import { argumentsFromVariables, callKey, readArguments, textIn, type Arguments } from './arguments.ts';
import type { AllowedAddresses } from '../safety/hosts.ts';
import { partsOfReply } from '../safety/parts.ts';
import { repeatsPrompt, withoutPrompt } from '../safety/prompt-filter.ts';
import { NOT_CALLED, tookTooLong, wroteNothing } from './failures.ts';
import { fitRounds } from './fit-rounds.ts';
import type { Offer } from './offer.ts';
import { CONFIRM_MS, shownArguments, usedValues, type PendingCall } from './pending.ts';
import { Acts, failed, forRecord, replied, shownReply, unsent, type CallResult, type Outcome } from './reply.ts';
import { lackingFor, requestOf, sendHidden } from './request.ts';

interface ToolUseOptions {
  /** The one that answers, with values in its prompt. */
  agent: Pick<StoredAgent, 'uuid' | 'prompt'>;
  offer: Offer;
  /** Tokens of the model's context. */
  context: number;
  values: Values;
  variables: Declared;
  /** The static ones: neither the model nor the visitor has a part in them. `collected`: from what the visitor wrote. */
  hidden: ReadonlySet<string>;
  collected: ReadonlySet<string>;
  /** Whether the visitor can be asked to confirm a call. */
  canAsk: boolean;
  /** Nothing that acts is called: refused, or with `dryRun` taken as done. */
  onlyReads: boolean;
  dryRun: boolean;
  caller: Caller;
  /** That the links of parts may lead to. */
  hosts: AllowedAddresses;
  /** Milliseconds for all rounds: each request to the model has that long by itself. None by default. */
  timeout?: number | undefined;
  clock: Clock;
  /** Called with the name that visitors are shown before each call, and with '' after it. */
  onStep(name: string): void;
}

/** Rounds of calls in one answer; after them the model is asked without functions. */
const MAX_ROUNDS = 5;
const MAX_CALLS_PER_ROUND = 4;
/** The part of the context that is kept free for calls and their replies. */
const ROUNDS_SHARE = 0.25;
/** UTF-16 units of text before a call that the model gets again. */
const MAX_TEXT_BEFORE_CALL = 4000;

const TOO_MANY = `not called: at most ${MAX_CALLS_PER_ROUND} calls at a time`;
const NO_ROUND_LEFT = `not called: at most ${MAX_ROUNDS} rounds of calls in one answer`;

/** The tool functions of one answer: calls what the model asks for, and keeps account of it. */
export class ToolUse {
  /** For `functions_called`. */
  readonly called: { name: string; content: string }[] = [];
  /** Tokens of all requests to the model. */
  tokens = 0;
  /** What replies hold in `parts`. */
  readonly parts: Part[] = [];
  /** The answer ends with a call that the visitor has to confirm. */
  pending: PendingCall | undefined;

  readonly #options: ToolUseOptions;
  readonly #ending = new AbortController();
  readonly #acts = new Acts();
  #rounds = 0;
  #current: Generation | undefined;
  /** Text of the round. */
  #text = '';
  #hasText = false;

  constructor(options: ToolUseOptions) {
    this.#options = options;
  }

  /** As `Model.generate`, with the rounds of calls: `onText` gets the text of all of them. */
  generate(model: Model, request: ModelRequest, onText: (piece: string) => void): Generation {
    return { done: this.#inTime(() => this.#converse(model, request, onText)), stop: () => this.stop() };
  }

  async #inTime(converse: () => Promise<Generated>): Promise<Generated> {
    const { timeout } = this.#options;
    if (timeout === undefined) return converse();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.stop();
    }, timeout);
    const generated = await converse().finally(() => clearTimeout(timer));
    if (isLate) throw tookTooLong();
    return generated;
  }

  /** Makes the call that the visitor has confirmed, or notes that they declined: to be called before `generate`. */
  async confirm(
    { call, arguments: args, values, ...pending }: PendingCall,
    isAccepted: boolean,
  ): Promise<ModelMessage[]> {
    const one = [...this.#options.offer.byName.values()].find(({ uuid }) => uuid === pending.function);
    this.#rounds = pending.rounds;
    this.#hasText = true;
    for (const key of pending.unsure ?? []) this.#acts.unsure.add(key);
    let result = failed(isAccepted ? NOT_CALLED.gone : NOT_CALLED.declined);
    if (one && isAccepted) {
      const read = readArguments(one, JSON.stringify(args), {});
      result = 'fault' in read ? failed(NOT_CALLED.gone) : await this.#perform(one, read.args, values);
    }
    this.#record(pending.shown.function, result);
    const { outcome } = result;
    const key = callKey({ uuid: pending.function }, args);
    this.#acts.add({ uuid: pending.function, name: pending.shown.name, outcome, round: this.#rounds }, key);
    return [...pending.messages, { role: 'tool', callId: call.id, content: result.content }];
  }

  /**
   * Calls a function that only reads with what variables and defaults give: its reply as text, where it has one to show, or
   * what the visitor is to be asked for.
   */
  async read(one: ToolFunction): Promise<{ text?: string | undefined; needed?: string[]; missing?: string[] }> {
    const { values, variables, hidden } = this.#options;
    const lacking = lackingFor(one, values, variables);
    const args = lacking ? undefined : argumentsFromVariables(one, values, hidden);
    const result = args ? await this.#perform(one, args, values) : failed(lacking?.fault ?? NOT_CALLED.unfit);
    return { text: shownReply(this.#note(one, result)), ...lacking };
  }

  /** Ends a generation or a call under way. */
  stop(): void {
    this.#ending.abort();
    this.#current?.stop();
  }

  /** The functions that act of which a call ended so, as visitors are shown their names. */
  ended(outcome: Outcome): string[] {
    return this.#acts.ended(outcome);
  }

  /** The model called something, with whatever result: what it writes tells of that, beside the passages. */
  get wasUsed(): boolean {
    return this.pending !== undefined || this.called.length > 0;
  }

  /** Functions that act, of which a call was not carried out for certain. */
  get notDone(): string[] {
    return [...this.ended('failed'), ...this.ended('unsure'), ...this.ended('unconfirmed')];
  }

  /** Tokens of the context that functions and their replies need: the prompt has to leave them. */
  get reserved(): number {
    const { offer, context } = this.#options;
    return offer.tokens + Math.floor(context * ROUNDS_SHARE);
  }

  get #room(): number {
    const { offer, context } = this.#options;
    return roomIn(context) - offer.tokens;
  }

  get #isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  async #converse(model: Model, request: ModelRequest, onText: (piece: string) => void): Promise<Generated> {
    const { tools } = this.#options.offer;
    const messages = [...request.messages];
    for (;;) {
      const isLast = this.#rounds >= MAX_ROUNDS;
      const generated = await this.#ask(
        model,
        { ...request, messages: fitRounds(messages, this.#room), ...(isLast || tools.length === 0 ? {} : { tools }) },
        onText,
      );
      const { toolCalls, finish } = generated;
      if (this.#isStopped || toolCalls.length === 0) return this.#total(generated);
      if (isLast || finish === 'length') {
        for (const call of toolCalls) this.#refuse(call, NO_ROUND_LEFT);
        if (!this.#hasText) throw wroteNothing();
        return this.#total(generated);
      }
      this.#rounds += 1;
      messages.push({ role: 'assistant', content: this.#text.slice(0, MAX_TEXT_BEFORE_CALL), toolCalls });
      let waiting: Omit<PendingCall, 'messages'> | undefined;
      for (const [at, call] of toolCalls.entries()) {
        const result = at < MAX_CALLS_PER_ROUND ? await this.#call(call, waiting) : this.#refuse(call, TOO_MANY);
        if (this.#isStopped) return this.#total(generated);
        if ('content' in result) messages.push({ role: 'tool', callId: call.id, content: result.content });
        else waiting = result;
      }
      if (waiting) {
        this.pending = { ...waiting, messages: messages.slice(request.messages.length) };
        return this.#total(generated);
      }
    }
  }

  async #ask(model: Model, request: ModelRequest, onText: (piece: string) => void): Promise<Generated> {
    let isAfterText = this.#hasText;
    this.#text = '';
    const isContinued = this.#rounds > 0 || undefined;
    this.#current = model.generate({ ...request, isContinued }, (piece) => {
      // What was written before a call and what follows it are no one sentence.
      if (isAfterText) onText('\n\n');
      isAfterText = false;
      this.#text += piece;
      this.#hasText ||= piece.trim() !== '';
      onText(piece);
    });
    if (this.#isStopped) this.#current.stop();
    const generated = await this.#current.done;
    this.tokens += generated.totalTokens;
    return generated;
  }

  /** The result of a call, or what waits for the visitor. */
  async #call(call: ToolCall, waiting: object | undefined): Promise<CallResult | Omit<PendingCall, 'messages'>> {
    const { agent, offer, values, hidden, canAsk, onlyReads } = this.#options;
    const one = offer.byName.get(call.name);
    if (!one) return this.#refuse(call, NOT_CALLED.unknown);
    const read = readArguments(one, call.arguments, values, hidden);
    if ('fault' in read) return this.#refuse(call, read.fault);
    if (repeatsPrompt(textIn(read.args), agent.prompt)) return this.#refuse(call, NOT_CALLED.repeatsPrompt);
    if (onlyReads && classOf(one) !== 'read') return this.#refuse(call, NOT_CALLED.onlyReads);
    const key = callKey(one, read.args);
    const repeated = classOf(one) === 'read' ? undefined : this.#acts.begin(key, this.#rounds);
    if (repeated !== undefined) return this.#record(one.name, failed(repeated));
    if (classOf(one) === 'ask') {
      if (!canAsk) return this.#note(one, failed(NOT_CALLED.cannotConfirm, 'unconfirmed'));
      return waiting ? this.#note(one, failed(NOT_CALLED.anotherWaits)) : this.#pendingCall(one, call, read.args);
    }
    return this.#note(one, await this.#perform(one, read.args, values), key);
  }

  async #perform(one: ToolFunction, args: Arguments, values: Values): Promise<CallResult> {
    const { caller, dryRun, onStep } = this.#options;
    const request = requestOf(one, args, values, this.#options);
    if ('fault' in request) return failed(request.fault);
    const acts = classOf(one) !== 'read';
    if (acts && dryRun) return unsent(request);
    onStep(stepOf(one));
    try {
      const result = replied(await sendHidden(caller, request, this.#ending.signal), acts);
      this.parts.push(...partsOfReply(result.text, this.#options.hosts));
      return result;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      return failed(this.#isStopped ? 'stopped' : error.message, acts && error.wasSent ? 'unsure' : 'failed');
    } finally {
      onStep('');
    }
  }

  /** A call that is not made. */
  #refuse(call: ToolCall, why: string): CallResult {
    const result = failed(why);
    const one = this.#options.offer.byName.get(call.name);
    return one ? this.#note(one, result) : this.#record(call.name, result);
  }

  /** Of a name or an argument that it made up, a model may make a way out for its instructions. */
  #record(name: string, result: CallResult): CallResult {
    const { prompt } = this.#options.agent;
    this.called.push({ name: withoutPrompt(name, prompt), content: withoutPrompt(forRecord(result), prompt) });
    return result;
  }

  #note(one: ToolFunction, result: CallResult, key?: string): CallResult {
    this.#record(one.name, result);
    if (classOf(one) === 'read') return result;
    this.#acts.add({ uuid: one.uuid, name: stepOf(one), outcome: result.outcome, round: this.#rounds }, key);
    return result;
  }

  #pendingCall(one: ToolFunction, call: ToolCall, args: Arguments): Omit<PendingCall, 'messages'> {
    const { agent, values, hidden, clock } = this.#options;
    return {
      until: clock() + CONFIRM_MS,
      agent: agent.uuid,
      function: one.uuid,
      shown: { function: one.name, name: stepOf(one), arguments: shownArguments(one, args, values, hidden) },
      arguments: args,
      values: usedValues(one, values),
      call,
      rounds: this.#rounds,
      unsure: [...this.#acts.unsure],
    };
  }

  #total(generated: Generated): Generated {
    return { ...generated, totalTokens: this.tokens };
  }
}
