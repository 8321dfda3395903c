import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import * as Type from 'typebox';
import type { Static, TObject, TSchema } from 'typebox';
import type { AgentRouter } from '../../agents/routing/router.ts';
import type { DraftGap } from '../../answer/gaps/draft.ts';
import type { Checkable } from '../../answer/trace/check-models.ts';
import type { AnswerRuns, Respond } from '../../answer/runs.ts';
import type { Audit } from '../../http/audit.ts';
import type { Identity } from '../../http/auth.ts';
import { notFound, Refusal } from '../../schema/errors.ts';
import { readJson, nameUnknownFields } from '../../http/body.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Schedules } from '../../knowledge/crawl/schedule.ts';
import type { Sites } from '../../knowledge/crawl/sites.ts';
import type { Mailer } from '../../mail/mailer.ts';
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
} from '../../store/store.ts';
import { validate } from '../../schema/validate.ts';
import type { TakeVisit } from '../../http/rate-limit.ts';
import type { Caller } from '../../web/call.ts';
import { serializeList } from '../../http/json-list.ts';
import { ATTEMPTED, audited, type AuditKind } from './audited.ts';
import type { RunOnce } from './idempotency.ts';
import { NewRecord } from './new-record.ts';
import { isRight, mayReach, permitted, type Requester, type Right } from './rights.ts';

export { mayReach, ownedChatbot } from './rights.ts';

/** What the handlers of the operations are given. */
export interface ApiDeps {
  store: Store;
  knowledge: Knowledge;
  schedules: Schedules;
  sites: Sites;
  runs: AnswerRuns;
  router: AgentRouter;
  respond: Respond;
  /** Absent where there is no model. */
  draftGap?: DraftGap | undefined;
  clock: Clock;
  log: Logger;
  catalogue: Catalogue;
  caller: Pick<Caller, 'isBlocked' | 'call'>;
  serverModels: readonly Checkable[];
  audit: Audit;
  /** Of one user in the second place: counts over all processes. */
  takeUse: TakeVisit;
  /** Absent where no mail is sent. */
  mail?: Mailer | undefined;
  /** Where the world reaches the server, without a slash at the end. */
  base: string;
}

export interface OperationRequest<B> {
  /** The user of the key or cookie, with the right that is declared beside the route. */
  user: Requester;
  /** The path's `:uuid` as 32 lower-case hex digits; '' in a path without one. */
  uuid: string;
  body: B;
  ctx: RouterContext;
  /** Of a create. */
  record: NewRecord;
  /** For a create that reads its body itself: runs `act` once for each `Idempotency-Key` and `request`. */
  once(request: unknown, act: (record: NewRecord) => Promise<unknown>): Promise<unknown>;
  /** What the audit log is to say beside the operation: short, without secrets. The names of the fields sent, for a change, by default. */
  note(detail: string): void;
}

/** One operation of the API. Its handler checks the body, finds the owner's record, stores or answers, and returns the view. */
export interface Operation {
  /** The `operationId`, by which generated clients call it: a verb and its object. */
  id: string;
  /** Required of whoever calls it. */
  right: Right;
  /** Whether the audit log says who has called it. */
  audit: AuditKind;
  method: 'GET' | 'POST' | 'DELETE';
  /** From /api on. `:uuid` is the record; a chatbot before it is `:chatbot`. */
  path: string;
  /** Other spellings of the path that existing clients use. */
  aliases?: string[];
  summary: string;
  /** Details that the summary leaves out. */
  description?: string;
  /** Query parameters, all optional. The handler reads `ctx.query`. */
  query?: TObject;
  body?: TObject;
  /** The handler gets the body unchecked and validates it, since the stored record decides what is valid. */
  checkedByHandler?: true;
  /** The parts of a multipart/form-data body, where it is not JSON. The handler reads them. */
  parts?: TObject;
  /** The body of a 200; `text` is plain text, or a stream that the handler writes, `events` the event stream of the public chat API. */
  reply: TSchema | 'text' | 'events';
  /** Media types of a `text`, where it is not plain text. */
  media?: readonly string[];
  /** Further replies by status, beside the 200 and the errors that `faultsOf` in openapi/document.ts derives. */
  others?: Record<number, TSchema>;
  /** Its reply has an `ETag` (http/precondition.ts). */
  hasEtag?: true;
  /** Its handler refuses, by `If-Match`, what was changed meanwhile. */
  takesIfMatch?: true;
  /** Accepts an `Idempotency-Key`. */
  creates?: true;
  /** Returns the reply's body, to be sent as JSON; a Buffer or stream is JSON already (see `serializeList`). */
  handle(request: OperationRequest<unknown>): Promise<unknown>;
}

/** Types the handler's body by the schema. */
export function operation<S extends TObject>(
  definition: Omit<Operation, 'body' | 'handle'> & {
    body: S;
    handle(request: OperationRequest<Static<S>>): Promise<unknown>;
  },
): Operation;
export function operation(definition: Omit<Operation, 'body'>): Operation;
export function operation(definition: unknown): Operation {
  return definition as Operation;
}

const NO_QUERY = Type.Object({});

export function register(
  router: Router,
  { log, clock, once, audit }: { log: Logger; clock: Clock; once: RunOnce; audit: Audit },
  one: Operation,
): void {
  const { id, right, method, path, aliases = [], query, body, checkedByHandler, creates, handle } = one;
  if (!isRight(right)) throw new Error(`${method} ${path} declares no right`);
  router.register([path, ...aliases], [method], async (ctx) => {
    const uuid = readUuid(ctx.params.uuid ?? '') ?? '';
    const sent = body ? await readJson(ctx) : undefined;
    if (body) nameUnknownFields(ctx, log, body, sent);
    else nameUnknownFields(ctx, log, query ?? NO_QUERY, ctx.query);
    const given = body && !checkedByHandler ? validate(body, sent) : sent;
    // Absent where no key is asked for.
    const { user: known, by } = (ctx.state.identity ?? {}) as Identity;
    const user = { ...known, right, reached: [] } satisfies Requester;
    let detail: string | undefined;
    let isLogged = false;
    const act = async (record: NewRecord): Promise<unknown> => {
      const note = (text: string): void => void (detail = text);
      try {
        return await handle({ user, uuid, body: given, ctx, record, once: runOnce, note });
      } catch (error) {
        // The caller is told of the fault, whether or not it could be noted.
        if (!isLogged && isFault(error) && user.reached.length > 0 && one.audit !== 'reads')
          await audited(audit, one, { user, by, uuid, sent, reply: undefined, detail: ATTEMPTED }).catch(() => {});
        throw error;
      }
    };
    const logged = async (reply: unknown): Promise<unknown> => {
      const isDue = !isLogged && !isRefused(ctx);
      // Before the entry is stored: one that cannot be is stored with the next, and the change is not one that failed.
      isLogged = true;
      if (isDue) await audited(audit, one, { user, by, uuid, sent, reply, detail });
      return reply;
    };
    const uuids = Object.values(ctx.params as Record<string, string>).map((written) => readUuid(written) ?? '');
    const runOnce: OperationRequest<unknown>['once'] = async (request, create) => {
      const reply = await once({ user, ctx, operation: id, uuids }, request, async (record) =>
        logged(await create(record)),
      );
      // Also of a reply that was kept: its first request is logged.
      isLogged = true;
      return reply;
    };
    const reply = await logged(await (creates && body ? runOnce(sent, act) : act(new NewRecord(clock))));
    const payload = Array.isArray(reply) ? await serializeList(reply, (one) => one) : reply;
    if (Buffer.isBuffer(payload) || payload instanceof Readable) ctx.type = 'json';
    if (payload !== undefined) ctx.body = payload;
  });
}

/** Whether it may have come after part of a change; what is refused by a rule comes before all of it. */
const isFault = (error: unknown): boolean => !(error instanceof Refusal) || error.status >= 500;

/** A handler may reply so instead of throwing. Before there is a reply the status is 404. */
const isRefused = ({ status }: RouterContext): boolean => status === 409 || status === 422;

export async function ownedSource(store: Store, user: Requester, uuid: string): Promise<StoredSource> {
  const source = await store.source(uuid);
  if (!source || !(await mayReach(store, user, source.chatbot))) throw notFound('data source');
  return source;
}

/** Whether a key has made it to test: the playground, `docent test`. */
export const isTest = ({ dry_run, by_key }: StoredSession): boolean => dry_run === true && by_key === true;

export async function ownedSession(
  store: Store,
  user: Requester,
  uuid: string,
): Promise<{ session: StoredSession; chatbot: StoredChatbot }> {
  const session = await store.session(uuid);
  const chatbot = session && permitted(await store.chatbot(session.chatbot), user, { isTest: isTest(session) });
  if (!session || !chatbot) throw notFound('session');
  return { session, chatbot };
}

export async function ownedAgent(store: Store, user: Requester, uuid: string): Promise<StoredAgent> {
  const agent = await store.agent(uuid);
  if (!agent || !(await mayReach(store, user, agent.chatbot))) throw notFound('agent');
  return agent;
}

export async function ownedTag(store: Store, user: Requester, uuid: string): Promise<StoredTag> {
  const tag = await store.tag(uuid);
  if (!tag || !(await mayReach(store, user, tag.chatbot))) throw notFound('source tag');
  return tag;
}

export async function ownedMessage(store: Store, user: Requester, uuid: string): Promise<StoredMessage> {
  const message = await store.message(uuid);
  const session = message && (await store.session(message.session));
  if (!session || !(await mayReach(store, user, session.chatbot, { record: uuid, isTest: isTest(session) })))
    throw notFound('message');
  return message;
}
