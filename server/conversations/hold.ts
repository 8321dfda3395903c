import { setTimeout as wait } from 'node:timers/promises';
import { declaredBy, valuesOf, type Values } from '../agents/variables.ts';
import type { MessageMeta } from '../answer/runs.ts';
import type { Agent, Chatbot, Message, Session } from '../schema/records.ts';
import type { Citations } from '../types.ts';
import type { Conversation, Turn } from './format.ts';

/** Holds a conversation with a chatbot over its API, and forgets it again. */

/** One request to `/api/v1`; rejects with the server's sentence where it is refused. */
export type Call = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>;

/** What came of a question. */
export interface Reply {
  answer: string;
  meta: Partial<MessageMeta>;
  citations: Citations;
  labels: string[];
  /** `meta.live.state` of the session; `none` without. */
  state: string;
  /** Of the session, as rules and prompts see them: defaults, those it began with, and those that were collected. */
  variables: Values;
  /** The names that a variable may have: those that enabled agents declare, and those that it began with. */
  names: ReadonlySet<string>;
}

/** A `fault` is a sentence that says why there is no reply. */
export type HeldTurn = { turn: Turn } & ({ reply: Reply; fault?: never } | { reply?: never; fault: string });

export interface HoldOptions {
  /** Functions that act are really called. */
  callsWrites?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const NO_DRY_RUN =
  'the server is of another version and would call functions that write: update it, or allow that with --call-writes';

/** How long, in milliseconds, background agents may take for a message, and how often they are looked for. */
const [BACKGROUND_MS, POLL_MS] = [60_000, 25];

/**
 * Holds it from the first turn to the last, or to one that gets no answer. The session is deleted, whatever comes. Never
 * rejects: a server that goes away is a fault of the turn under way.
 */
export async function holdConversation(
  call: Call,
  chatbot: Chatbot,
  { variables, turns }: Conversation,
  { callsWrites = false, signal }: HoldOptions = {},
): Promise<HeldTurn[]> {
  const body = { ...(variables && { initial_variables: variables }), ...(!callsWrites && { dry_run: true }) };
  const held: HeldTurn[] = [];
  let session: Session;
  try {
    session = await call<Session>('POST', `/api/v1/chatbot/${chatbot.uuid}/session/create`, body);
  } catch (error) {
    return [{ turn: turns[0]!, fault: sentenceOf(error) }];
  }
  const { uuid } = session;
  // Deleting the session stops the answer that is being made, for which the turn waits.
  const stop = (): void => void remove().catch(() => {});
  let removed: Promise<unknown> | undefined;
  const remove = (): Promise<unknown> => (removed ??= call('POST', `/api/v1/session/${uuid}/delete`));
  signal?.addEventListener('abort', stop);
  let last = '';
  const isRefused = !callsWrites && session.dry_run !== true;
  if (isRefused) held.push({ turn: turns[0]!, fault: NO_DRY_RUN });
  for (const turn of isRefused ? [] : turns) {
    if (signal?.aborted) break;
    try {
      const message = await ask(call, uuid, turn.ask, last);
      held.push({ turn, reply: await replyOf(call, { chatbot: chatbot.uuid, session: uuid }, message, turn) });
      last = message.uuid;
    } catch (error) {
      held.push({ turn, fault: sentenceOf(error) });
      break;
    }
  }
  signal?.removeEventListener('abort', stop);
  await remove().catch((error: unknown) => {
    const end = held.at(-1);
    if (end?.reply) held.splice(-1, 1, { turn: end.turn, fault: `the session is not deleted: ${sentenceOf(error)}` });
  });
  return held;
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The finished message behind the one with the uuid `last`, with what background agents found. */
async function ask(call: Call, session: string, query: string, last: string): Promise<Message> {
  const path = `/api/v1/session/${session}`;
  await call('POST', `${path}/message/non-stream`, { query });
  const [stored] = await call<Message[]>('GET', `${path}/messages${last && `?after=${last}`}`);
  if (!stored) throw new Error('the message is gone: another has deleted it');
  let message = stored;
  // Rules of the next turn may be about what they find, so that the next turn waits, too.
  for (const end = Date.now() + BACKGROUND_MS; message.background_pending_tasks > 0; await wait(POLL_MS)) {
    if (Date.now() > end) throw new Error(`background agents are still at work after ${BACKGROUND_MS / 1000} s`);
    message = await call<Message>('GET', `/api/v1/message/${message.uuid}`);
  }
  return message;
}

interface StatedSession {
  meta: { live?: { state?: string }; variables?: Values };
  initial_variables?: Values;
}

async function replyOf(
  call: Call,
  { chatbot, session }: { chatbot: string; session: string },
  message: Message,
  { state, variables }: Turn,
): Promise<Reply> {
  const needsSession = state !== undefined || variables !== undefined;
  const { meta, initial_variables }: StatedSession = needsSession
    ? await call('GET', `/api/v1/session/${session}`)
    : { meta: {} };
  const initial = initial_variables ?? {};
  const agents = variables ? await call<Agent[]>('GET', `/api/v1/chatbot/${chatbot}/agents`) : [];
  return {
    answer: message.response,
    meta: JSON.parse(message.meta_json) as Partial<MessageMeta>,
    citations: JSON.parse(message.cite_data_json) as Citations,
    labels: message.labels.map(({ name }) => name),
    state: meta.live?.state ?? 'none',
    variables: valuesOf(agents, { initial_variables: initial, variables: meta.variables ?? {}, by_key: true }),
    names: new Set([...declaredBy(agents).keys(), ...Object.keys(initial)]),
  };
}
