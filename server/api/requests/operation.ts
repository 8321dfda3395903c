import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import * as Type from 'typebox';
import type { Static, TObject, TSchema } from 'typebox';
import type { AnswerRuns, Respond } from '../../answer/runs.ts';
import { notFound } from '../../schema/errors.ts';
import { readJson, nameUnknownFields } from '../../http/body.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Schedules } from '../../knowledge/crawl/schedule.ts';
import type { Sites } from '../../knowledge/crawl/sites.ts';
import type { Catalogue } from '../../model/catalogue.ts';
import { readUuid, type Clock } from '../../schema/ids.ts';
import type {
  Store,
  StoredAgent,
  StoredChatbot,
  StoredMessage,
  StoredSession,
  StoredSource,
  StoredTag,
  User,
} from '../../store/store.ts';
import { validate } from '../../schema/validate.ts';
import { serializeList } from '../../http/json-list.ts';
import type { Once } from './idempotency.ts';

/** What a handler may reach. */
export interface Rooms {
  store: Store;
  knowledge: Knowledge;
  schedules: Schedules;
  sites: Sites;
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
  log: Logger;
  catalogue: Catalogue;
}

export interface Call<B> {
  user: User;
  /** The identifier in the path, as we write it; '' in a path without one. */
  uuid: string;
  body: B;
  ctx: RouterContext;
  /** For a create that reads its body itself: runs `act` once for each `Idempotency-Key` and `request`. */
  once(request: unknown, act: () => Promise<unknown>): Promise<unknown>;
}

/** One operation of the interface: a handler is check → owned → store or answer → view. */
export interface Operation {
  /** Its name in the document, by which generated clients call it: a verb and its object. */
  id: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** Whole, from /api on; `:uuid` is what it is about, and what stands before that is its `:chatbot`. */
  path: string;
  /** Other spellings of the path that existing clients use. */
  aliases?: string[];
  summary: string;
  /** What the summary has no room for. */
  description?: string;
  /** What may stand behind the `?`: all optional. The handler reads `ctx.query`. */
  query?: TObject;
  body?: TObject;
  /** What is valid depends on the stored record: the handler gets the body as it came and checks it itself. */
  checkedByHandler?: true;
  /** Where the body is multipart/form-data instead of JSON: its parts. The handler reads them itself. */
  parts?: TObject;
  /** What a 200 holds; `text` is plain text, or a stream that the handler writes itself, `events` the door's event stream. */
  reply: TSchema | 'text' | 'events';
  /** Replies of its own, by status, beside the 200 and the faults that the document works out. */
  others?: Record<number, TSchema>;
  /** Takes an `Idempotency-Key`. */
  creates?: true;
  /** Answers without a key. */
  open?: true;
  /** What it returns is the reply's body, JSON; bytes, or a stream of them, are JSON already (see `serializeList`). */
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

const NOTHING = Type.Object({});

export function register(
  router: Router,
  { log, once }: { log: Logger; once: Once },
  { id, method, path, aliases = [], query, body, checkedByHandler, creates, handle }: Operation,
): void {
  router.register([path, ...aliases], [method], async (ctx) => {
    const uuid = readUuid(ctx.params.uuid ?? '') ?? '';
    const sent = body ? await readJson(ctx) : undefined;
    if (body) nameUnknownFields(ctx, log, body, sent);
    else nameUnknownFields(ctx, log, query ?? NOTHING, ctx.query);
    const given = body && !checkedByHandler ? validate(body, sent) : sent;
    const user = ctx.state.user as User;
    const uuids = Object.values(ctx.params as Record<string, string>).map((one) => readUuid(one) ?? '');
    const onlyOnce: Call<unknown>['once'] = (request, act) => once({ user, ctx, operation: id, uuids }, request, act);
    const act = () => handle({ user, uuid, body: given, ctx, once: onlyOnce });
    const reply = await (creates && body ? onlyOnce(sent, act) : act());
    const told = Array.isArray(reply) ? await serializeList(reply, (one) => one) : reply;
    if (Buffer.isBuffer(told) || told instanceof Readable) ctx.type = 'json';
    if (told !== undefined) ctx.body = told;
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
