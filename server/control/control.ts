import { once } from 'node:events';
import Router from '@koa/router';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { RequestListener } from 'node:http';
import * as Type from 'typebox';
import { NewMessage } from '../api/requests/bodies.ts';
import type { ApiDeps } from '../api/requests/operation.ts';
import { createApi } from '../api/router.ts';
import { SHELL, type Audited } from '../http/audit.ts';
import { hashKey, keyUuid, type Authenticate } from '../http/auth.ts';
import { newLoginLink } from '../console/sign-ins.ts';
import { readBody } from '../http/body.ts';
import { replyWithErrors } from '../http/error-replies.ts';
import { logRequests } from '../http/request-log.ts';
import { asRefusal, invalid, notFound, Refusal } from '../schema/errors.ts';
import { MAX_KEEP_DAYS } from '../schema/fields.ts';
import { readUuid } from '../schema/ids.ts';
import type { SnapshotStore } from '../store/archive/snapshot.ts';
import type { Store } from '../store/store.ts';
import { archiveStream } from './archive-stream.ts';
import type { Engine } from './open-store.ts';
import { ingestJob, stopIngestJob } from './ingest-jobs.ts';
import { createOperator } from './operator.ts';
import { forgetSession } from './retention.ts';
import { FAULT_TRAILER, STREAM_TYPE } from './socket.ts';
import { createUsers, readEmail, userOf } from './users.ts';

interface ControlDeps extends ApiDeps {
  snapshots: Pick<SnapshotStore, 'snapshot'>;
  /** Aborted where the server ends: what takes long stops where it is. */
  ending?: AbortSignal;
  /** Where the store has its data. */
  engine: Engine;
  /** Where the world reaches the server, without a slash at the end. */
  base: string;
  /** False with CONSOLE=0. */
  hasConsole: boolean;
  apiKey: string | undefined;
}

/**
 * HTTP for commands: the API as any user without a key, and under /control what the API has not. Whoever can send a request
 * to this handler is the operator, so it is never to be served on a TCP port.
 */
export function createControl(deps: ControlDeps): RequestListener {
  const app = new Koa();
  // A command that disconnects is not logged as an error.
  app.on('error', (error) => deps.log.debug({ err: error }, 'reply failed'));
  app.use(logRequests(deps.log, 'command', POLLED_PATH));
  app.use(replyWithErrors(deps.log));
  app.use(sendProcessing);
  app.use(createApi(deps, authenticateByEmail(deps.store)));
  app.use(controlRoutes(deps));
  app.use(() => {
    throw new Refusal('not_found', 'the server that runs is of another version');
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

/** `docent learn` asks for this five times a second. */
const POLLED_PATH = /^\/control\/job\/\w+$/;

/** Milliseconds between two `102 Processing`; the client times out after 10 s without any. */
const PROCESSING_INTERVAL_MS = 2000;

const sendProcessing: Middleware = async ({ res }, next) => {
  res.shouldKeepAlive = false;
  const timer = setInterval(() => res.headersSent || res.writeProcessing(), PROCESSING_INTERVAL_MS);
  await next().finally(() => clearInterval(timer));
};

/** `Authorization: User <email, percent-encoded>` acts as that user; without it as the owner of the data folder. */
function authenticateByEmail(store: Store): Authenticate {
  return async ({ headers }) => {
    const email = /^User (\S+)$/.exec(headers.authorization ?? '')?.[1];
    const user = email === undefined ? store.owner.user : await userOf(store, percentDecode(email));
    return { user, by: SHELL };
  };
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal('unauthorized', 'the user of the Authorization header is not percent-encoded');
  }
}

const NewUser = Type.Object({ email: Type.String() });
const UserRemoval = Type.Object({ email: Type.String(), with_chatbots: Type.Boolean() });
const UserOrNone = Type.Object({ email: Type.Optional(Type.String()) });
const SignInEnd = Type.Object({ email: Type.String(), sign_ins: Type.Array(Type.String()) });
const PasskeyRemoval = Type.Object({ passkey: Type.String() });
const NewKey = Type.Object({ email: Type.String(), name: Type.String() });
const Retention = Type.Object({ days: Type.Integer({ minimum: 0, maximum: MAX_KEEP_DAYS }) });
const Forgetting = Type.Object({ session: Type.String() });
const KeyRevocation = Type.Object({ keys: Type.Array(Type.String()) });

/** As the operator is to know it, whatever it is. */
const exportFault = (error: Error): Refusal =>
  asRefusal(error, 'nothing was exported') ?? new Refusal('internal', error.message, { cause: error });

function controlRoutes(deps: ControlDeps): Middleware {
  const { store, clock, log, base, engine, hasConsole, apiKey, audit } = deps;
  const users = createUsers({ store, clock, apiKey });
  const operator = createOperator(deps);
  /** By the shell, as the owner of the installation. */
  const note = (operation: string, what: Omit<Audited, 'operation'>[]): Promise<void> =>
    audit.changed(
      { user: store.owner.user, by: SHELL },
      what.map((one) => ({ operation, ...one })),
    );
  const home = store.owner.user.uuid;
  const uuidOf = async (email: string): Promise<string> => (await userOf(store, readEmail(email))).uuid;
  const router = new Router({ prefix: '/control' });
  const on = (method: 'GET' | 'POST', path: string, handle: (ctx: Context, uuid: string) => Promise<unknown>): void => {
    router.register(path, [method], async (ctx) => {
      ctx.body = await handle(ctx, readUuid(ctx.params['uuid'] ?? '') ?? '');
    });
  };

  on('GET', '/server', async () => ({ base, engine, owner: store.owner.user.uuid }));
  on('GET', '/users', () => users.users());
  on('POST', '/user/add', async (ctx) => {
    const { email } = await readBody(ctx, log, NewUser);
    const added = await users.addUser(email);
    await note('addUser', [{ account: home, record: await uuidOf(added) }]);
    return { email: added };
  });
  on('POST', '/user/remove', async (ctx) => {
    const { email, with_chatbots } = await readBody(ctx, log, UserRemoval);
    const record = await uuidOf(email);
    const removed = await operator.removeUser(email, with_chatbots);
    await note('removeUser', [{ account: home, record }]);
    return removed;
  });
  on('POST', '/login', async (ctx) => {
    const { email } = await readBody(ctx, log, UserOrNone);
    const user = email === undefined ? store.owner.user : await userOf(store, readEmail(email));
    if (!hasConsole) throw new Refusal('conflict', 'CONSOLE=0 leaves the console out');
    const link = await newLoginLink({ store, clock, base }, user);
    if (link === undefined) throw notFound('user');
    await note('createLoginLink', [{ account: user.uuid }]);
    return { link, email: user.email };
  });
  on('POST', '/sign-ins', async (ctx) => users.signIns((await readBody(ctx, log, UserOrNone)).email));
  on('POST', '/sign-ins/end', async (ctx) => {
    const { email, sign_ins } = await readBody(ctx, log, SignInEnd);
    const account = await uuidOf(email);
    const ended = await users.endSignIns(email, sign_ins);
    await note(
      'endSignIn',
      ended.map(({ uuid }) => ({ account, record: uuid })),
    );
    return ended;
  });
  on('POST', '/passkeys', async (ctx) => users.passkeys((await readBody(ctx, log, UserOrNone)).email));
  on('POST', '/passkey/remove', async (ctx) => {
    const removed = await users.removePasskey((await readBody(ctx, log, PasskeyRemoval)).passkey);
    await note('removePasskey', [{ account: await uuidOf(removed.email), record: removed.uuid }]);
    return removed;
  });
  on('GET', '/keys', () => users.keys());
  on('POST', '/key/add', async (ctx) => {
    const { email, name } = await readBody(ctx, log, NewKey);
    const key = await users.addKey(email, name);
    await note('createKey', [{ account: await uuidOf(email), record: keyUuid(hashKey(key)), detail: name }]);
    return { key };
  });
  on('POST', '/keys/revoke', async (ctx) => {
    const revoked = await users.revokeKeys(...(await readBody(ctx, log, KeyRevocation)).keys);
    const all = await store.users();
    const accountOf = (email: string): string => all.find((one) => one.email === email)?.uuid ?? home;
    await note(
      'revokeKey',
      revoked.map(({ email, name }) => ({ account: accountOf(email), detail: name })),
    );
    return revoked;
  });
  on('GET', '/chatbots', () => operator.chatbots());
  on('POST', '/chatbot/:uuid/remove', async (_ctx, uuid) => {
    const { owner = '' } = (await store.chatbot(uuid)) ?? {};
    await operator.removeChatbot(uuid);
    const accounts = [...new Set([home, owner])].filter(Boolean);
    await note(
      'deleteChatbot',
      accounts.map((account) => ({ account, record: uuid })),
    );
    return { success: true };
  });
  on('POST', '/chatbot/:uuid/ask', async (ctx, uuid) => {
    const { query } = await readBody(ctx, log, NewMessage);
    return operator.ask(uuid, query);
  });
  on('POST', '/chatbot/:uuid/explain', async (ctx, uuid) => {
    const { query } = await readBody(ctx, log, NewMessage);
    return operator.explain(uuid, query);
  });
  on('POST', '/chatbot/:uuid/keep-days', async (ctx, uuid) => {
    const { days } = await readBody(ctx, log, Retention);
    const kept = await operator.keepConversations(uuid, days);
    await note('updateRetention', [{ chatbot: uuid, record: uuid, detail: 'keep_days' }]);
    return kept;
  });
  on('POST', '/forget', async (ctx) => {
    const { session } = await readBody(ctx, log, Forgetting);
    const uuid = readUuid(session);
    if (uuid === undefined) throw invalid('session', 'must be the whole identifier of a conversation');
    const chatbot = await store.chatbotOf(uuid);
    const forgotten = await forgetSession(deps, uuid);
    await note('deleteSession', [{ ...(chatbot === undefined ? { account: home } : { chatbot }), record: uuid }]);
    return forgotten;
  });
  router.get('/export', async (ctx) => {
    const archive = archiveStream(deps.snapshots, clock, (error) => {
      log.error({ err: error }, 'an export failed');
      ctx.res.addTrailers({ [FAULT_TRAILER]: encodeURIComponent(exportFault(error).message.toWellFormed()) });
    });
    // A store that cannot be read refuses with a sentence, while there is no reply yet.
    await once(archive, 'readable').catch((error: Error) => Promise.reject(exportFault(error)));
    await note('exportArchive', [{ account: home }]);
    ctx.set('Trailer', FAULT_TRAILER);
    ctx.type = STREAM_TYPE;
    ctx.body = archive;
  });
  on('GET', '/job/:uuid', (_, uuid) => ingestJob(deps, uuid));
  on('POST', '/job/:uuid/stop', (_, uuid) => stopIngestJob(deps, uuid));
  return router.routes() as unknown as Middleware;
}
