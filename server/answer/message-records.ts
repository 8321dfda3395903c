import type { RoutingRecord } from '../agents/routing/choose.ts';
import type { Values } from '../agents/variables.ts';
import { ERROR_CODES, Refusal } from '../schema/errors.ts';
import { objectIn } from '../schema/json.ts';
import { MAX_PARTS } from '../schema/parts.ts';
import { isObject } from '../schema/validate.ts';
import { nextModifiedAt, timestamp, type Clock } from '../schema/ids.ts';
import type { StoredChatbot, StoredMessage, StoredSession } from '../store/store.ts';
import type { Citation, Citations, ErrorCode, FinishReason, Outcome, Part } from '../types.ts';
import type { Rewritten } from './retrieve/rewrite.ts';
import type { Run } from './run.ts';
import { costIn, type Cost, type Spending } from './spending.ts';
import type { PendingCall } from './tools/pending.ts';
import type { AnswerTrace } from './trace/answer-trace.ts';

/** A question, the result of its answer, and the stored records of both. */

/** A question to be answered, with the uuid of its message. */
export interface Question {
  uuid: string;
  query: string;
  chatbot: StoredChatbot;
  session: StoredSession;
  /** The session is stored together with the message. */
  newSession: boolean;
  /** Values of variables that came with the message, where the session was there before. */
  variables?: Values | undefined;
  /** Neither the session nor its message is stored. */
  ephemeral?: true;
  /** The answer is read only after its end: text that a model wrote before it failed may be replaced. */
  unstreamed?: true;
  /** The visitor's address, and the language tags that their browser asks for, best first; absent for a key holder. */
  visitor?: string;
  acceptedLanguages?: readonly string[];
  /** The answer goes on: the call that it ended with, what the visitor says to it, and the message so far. */
  confirmed?: { pending: PendingCall; isAccepted: boolean; before: StoredMessage };
  /** The message that this one takes the place of. */
  replaced?: StoredMessage;
  /** Of its session's messages only those before this one count; absent: all. */
  before?: StoredMessage;
  /** Told how the answer is made; absent but for the question of somebody who asks that. */
  trace?: AnswerTrace;
  /** Frees the capacity that was taken for it beforehand. */
  release?: () => void;
  /** The id of the HTTP request, for the log. */
  request?: string;
  /** Its owner's budget; absent where there is no limit. */
  spending?: Spending;
}

/** The result of an answer; its text is in the run. */
export interface AnswerResult {
  finish_reason: Exclude<FinishReason, '' | 'interrupted'>;
  citations: Citations;
  meta: MessageMeta;
  /** With finish_reason `error`. */
  refusal?: Refusal;
  /** The visitor asked for a person: the session says so from now on. */
  requestsPerson?: true;
  /** A call that the visitor has to confirm. */
  pending?: PendingCall;
  /** Parts that are new with it, for the meta of the message. */
  parts?: Part[] | undefined;
  /** Questions to go on with as a model proposed them, unchecked; not stored. */
  proposed?: string[] | undefined;
}

/** What was searched for instead of the message, and why: as the model wrote it, or its questions one by one, or a part of it. */
export type Searched = Omit<Rewritten, 'why'> & { why: Rewritten['why'] | 'part' };

export interface MessageMeta extends Cost {
  functions_called: { name: string; content: string }[];
  active_agent: { uuid: string; name: string };
  /** Absent where another server answered and does not say. */
  outcome?: Outcome;
  /** How the agent was chosen; never shown to visitors. Absent where there was none to choose. */
  routing?: RoutingRecord;
  /**
   * Of an answer by an agent that may act: `not_done` where it claims something done that no call did, `unchecked` where the
   * model gave no usable reply.
   */
  claim?: 'none' | 'not_done' | 'unchecked';
  /** A tool function that was not called for want of a value: its uuid, and the names of the variables that the visitor was asked for. */
  lookup?: { function: string; needs: string[] };
  search?: Searched;
  /** The uuid of the message that answers the question anew, in place of this one. */
  replaced_by?: string;
  /** Beside the text; absent where there are none. */
  parts?: Part[];
  /** Questions that the sources answer, to go on with; absent where there are none. */
  follow_ups?: string[];
  /** Where it was asked, as `pageName` has it; absent where the browser does not say. */
  page?: string;
  /** Why quotes stand in for the model, as in `OutboundFailure`; absent where they do not. */
  fallback?: string;
  /** Of an answer with finish_reason `error`. */
  failure?: Failure;
}

/** What readers are told of an answer that failed, in whichever process. */
export interface Failure {
  code: ErrorCode;
  /** Seconds. */
  retryAfter?: number | undefined;
  unstored?: boolean;
}

/** Writes the answer into the run, in this process or by another server behind the proxy. */
export type Respond = (question: Question, run: Run) => Promise<AnswerResult>;

export const NO_META: MessageMeta = {
  actual_token_distribution: { total_tokens: 0 },
  functions_called: [],
  active_agent: { uuid: '', name: '' },
  credits: 0,
};

/** `meta_json` of a stored message; what is damaged in it is as in `NO_META`. */
export function metaIn({ meta_json }: Pick<StoredMessage, 'meta_json'>): MessageMeta {
  const { functions_called, active_agent, ...others } = objectIn(meta_json);
  const { uuid, name } = Object(active_agent) as { uuid?: unknown; name?: unknown };
  return {
    ...others,
    ...costIn(meta_json),
    functions_called: Array.isArray(functions_called) ? functions_called.filter(isCall) : [],
    active_agent: { uuid: textOr(uuid, ''), name: textOr(name, '') },
  };
}

const failureOf = ({ code, retryAfter, unstored }: Refusal): Failure => ({
  code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
  ...(unstored ? { unstored } : {}),
});

/** Why the answer failed; undefined where its record does not say. */
export function failureIn({ meta_json }: Pick<StoredMessage, 'meta_json'>): Failure | undefined {
  const { failure } = objectIn(meta_json);
  if (!isObject(failure)) return undefined;
  const code = ERROR_CODES.find((one) => one === failure['code']);
  const { retryAfter, unstored } = failure;
  return (
    code && {
      code,
      ...(typeof retryAfter === 'number' ? { retryAfter } : {}),
      ...(unstored === true ? { unstored } : {}),
    }
  );
}

/** `cite_data_json` of a message; without entries that have not exactly the five strings, which the widget shows. */
export const citationsIn = ({ cite_data_json }: Pick<StoredMessage, 'cite_data_json'>): Citations =>
  Object.fromEntries(
    Object.entries(objectIn(cite_data_json)).filter((entry): entry is [string, Citation] => isCitation(entry[1])),
  );

/** At most 3 of at most 200 characters, as a visitor's message has them; of a remote server's record they are untrusted. */
export function followUpsIn(metaJson: string): { follow_ups?: string[] } {
  const list = metaJson.includes('"follow_ups"') ? objectIn(metaJson)['follow_ups'] : undefined;
  if (!Array.isArray(list)) return {};
  const isShown = (one: unknown): one is string => typeof one === 'string' && one.trim() !== '' && one.length <= 200;
  const follow_ups = list.filter(isShown).slice(0, 3);
  return follow_ups.length > 0 ? { follow_ups } : {};
}

/** Whether the call of a record in `functions_called` succeeded: what a model is told of any other begins with `error`. */
export const isDone = ({ content }: { content: string }): boolean => !content.startsWith('{"error"');

const CITATION_KEYS = ['data_source_uuid', 'file_name', 'text', 'title', 'type'];

const isCitation = (value: unknown): value is Citation =>
  isObject(value) &&
  Object.keys(value).length === CITATION_KEYS.length &&
  CITATION_KEYS.every((key) => typeof value[key] === 'string');

const isCall = (one: unknown): one is MessageMeta['functions_called'][number] =>
  isObject(one) && typeof one['name'] === 'string' && typeof one['content'] === 'string';

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** Of a session's messages, those that no other of them replaces, nor that which is under way. */
export function withoutReplaced(messages: StoredMessage[], underWay?: string): StoredMessage[] {
  const uuids = new Set([underWay, ...messages.map(({ uuid }) => uuid)]);
  // Stored before the message that replaces it: after a crash in between, the earlier one stays.
  return messages.filter((message) => !uuids.has(metaIn(message).replaced_by ?? ''));
}

export function newMessage({ uuid, query, session }: Question, clock: Clock): StoredMessage {
  const now = timestamp(clock);
  return {
    uuid,
    query,
    response: '',
    finish_reason: '',
    cite_data_json: '{}',
    meta_json: '{}',
    created_at: now,
    modified_at: now,
    background_pending_tasks: 0,
    detected_frustrations: '',
    error_message: '',
    feedback_json: '{}',
    labels: [],
    session_documents: [],
    session: session.uuid,
  };
}

export function finishedMessage(
  run: Run,
  result: Omit<AnswerResult, 'finish_reason'> & { finish_reason: FinishReason },
  clock: Clock,
  page?: string,
): StoredMessage {
  const parts = [...(result.meta.parts ?? []), ...(result.parts ?? [])].slice(0, MAX_PARTS);
  const meta: MessageMeta = {
    ...result.meta,
    ...(page === undefined ? {} : { page }),
    ...(parts.length > 0 ? { parts } : {}),
    ...(result.refusal ? { failure: failureOf(result.refusal) } : {}),
  };
  return {
    ...run.message,
    response: run.read(0),
    finish_reason: result.finish_reason,
    cite_data_json: JSON.stringify(result.citations),
    meta_json: JSON.stringify(meta),
    error_message: result.refusal?.message ?? '',
    ...(result.pending ? { pending_call_json: JSON.stringify(result.pending) } : {}),
    modified_at: nextModifiedAt(run.message.modified_at, clock),
  };
}

/** The message of an answer that goes on: the rating and the labels that the stored one got meanwhile stay, with the notes of background agents. */
export function withAnswerOf(
  message: StoredMessage,
  { labels, feedback_json, meta_json, background_pending_tasks }: StoredMessage,
): StoredMessage {
  const { background } = objectIn(meta_json);
  const own = { ...message, labels, feedback_json, background_pending_tasks };
  if (background === undefined) return own;
  return { ...own, meta_json: JSON.stringify({ ...objectIn(message.meta_json), background }) };
}

/** What its answer takes the place of: another message, or its own before it went on. */
export const replacedBy = ({ replaced, confirmed }: Question): StoredMessage | undefined =>
  replaced ?? confirmed?.before;

/** With tokens of calls before the answer's own. */
export function withTokens(result: AnswerResult, before: number): AnswerResult {
  const total_tokens = result.meta.actual_token_distribution.total_tokens + before;
  return { ...result, meta: { ...result.meta, actual_token_distribution: { total_tokens } } };
}

/** Of an answer that goes on, what was there stays, and what it cost. */
export function errorResult(error: unknown, { confirmed }: Pick<Question, 'confirmed'>): AnswerResult {
  const before = confirmed?.before;
  const refusal =
    error instanceof Refusal ? error : new Refusal('internal', 'the answer could not be made', { cause: error });
  if (before) return { finish_reason: 'error', citations: citationsIn(before), meta: metaIn(before), refusal };
  return { finish_reason: 'error', citations: {}, meta: { ...NO_META, outcome: 'unknown' }, refusal };
}

/** A session's identifier is a secret: its first eight digits, which every message's identifier has too, are enough. */
export const logFields = ({ uuid, chatbot, session, request }: Question): object => ({
  req: request,
  chatbot: chatbot.uuid,
  session: `${session.uuid.slice(0, 8)}…`,
  message: uuid,
});
