import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import type { Logger } from 'pino';
import type { Static, TObject, TSchema } from 'typebox';
import type { Answering, Respond } from '../answer/answering.ts';
import { notFound } from '../errors.ts';
import { readJson } from '../http.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { readUuid, type Clock } from '../records.ts';
import type {
  Store,
  StoredAgent,
  StoredChatbot,
  StoredMessage,
  StoredSession,
  StoredSource,
  StoredTag,
  User,
} from '../store/store.ts';
import { checked } from '../validate.ts';

/** What a handler may reach. */
export interface Rooms {
  store: Store;
  knowledge: Knowledge;
  answering: Answering;
  respond: Respond;
  clock: Clock;
  log: Logger;
}

export interface Call<B> {
  user: User;
  /** The identifier in the path, as we write it; '' in a path without one. */
  uuid: string;
  body: B;
  ctx: RouterContext;
}

/** One operation of the interface: a handler is check → owned → store or answer → view. */
export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  /** Whole, from /api on; `:uuid` is the one parameter there is. */
  path: string;
  /** Other spellings of the path that existing clients use. */
  aliases?: string[];
  summary: string;
  body?: TObject;
  /** What a 200 holds; `text` is a stream that the handler writes itself. */
  reply: TSchema | 'text';
  handle(call: Call<unknown>): Promise<unknown>;
}

/** An operation whose handler sees its body typed by the schema. */
export function operation<S extends TObject>(
  described: Omit<Operation, 'body' | 'handle'> & { body: S; handle(call: Call<Static<S>>): Promise<unknown> },
): Operation;
export function operation(described: Omit<Operation, 'body'>): Operation;
export function operation(described: unknown): Operation {
  return described as Operation;
}

export function register(router: Router, { method, path, aliases = [], body, handle }: Operation): void {
  router.register([path, ...aliases], [method], async (ctx) => {
    const uuid = readUuid(ctx.params.uuid ?? '') ?? '';
    const given = body ? checked(body, await readJson(ctx)) : undefined;
    const reply = await handle({ user: ctx.state.user as User, uuid, body: given, ctx });
    if (reply !== undefined) ctx.body = reply;
  });
}

/** The chatbot, if it is the caller's own: another's is as unknown as none. */
export async function ownedChatbot(store: Store, user: User, uuid: string): Promise<StoredChatbot> {
  const chatbot = await store.chatbot(uuid);
  if (chatbot?.owner !== user.uuid) throw notFound('chatbot');
  return chatbot;
}

export async function ownedSource(store: Store, user: User, uuid: string): Promise<StoredSource> {
  const source = await store.source(uuid);
  if (!source || !(await owns(store, user, source.chatbot))) throw notFound('data source');
  return source;
}

export async function ownedSession(
  store: Store,
  user: User,
  uuid: string,
): Promise<{ session: StoredSession; chatbot: StoredChatbot }> {
  const session = await store.session(uuid);
  const chatbot = session && (await store.chatbot(session.chatbot));
  if (!session || chatbot?.owner !== user.uuid) throw notFound('session');
  return { session, chatbot };
}

export async function ownedAgent(store: Store, user: User, uuid: string): Promise<StoredAgent> {
  const agent = await store.agent(uuid);
  if (!agent || !(await owns(store, user, agent.chatbot))) throw notFound('agent');
  return agent;
}

export async function ownedTag(store: Store, user: User, uuid: string): Promise<StoredTag> {
  const tag = await store.tag(uuid);
  if (!tag || !(await owns(store, user, tag.chatbot))) throw notFound('source tag');
  return tag;
}

export async function ownedMessage(store: Store, user: User, uuid: string): Promise<StoredMessage> {
  const message = await store.message(uuid);
  const session = message && (await store.session(message.session));
  if (!session || !(await owns(store, user, session.chatbot))) throw notFound('message');
  return message;
}

const owns = async (store: Store, user: User, chatbot: string): Promise<boolean> =>
  (await store.chatbot(chatbot))?.owner === user.uuid;
