import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { Authenticate } from '../http/auth.ts';
import { refuseUnmatched, wrongMethod } from '../http/body.ts';
import { agents } from './resources/agents.ts';
import { chatbots } from './resources/chatbots.ts';
import { functions } from './resources/functions.ts';
import { createOnce } from './requests/idempotency.ts';
import { models } from './resources/models.ts';
import { messages } from './resources/messages.ts';
import { openapi } from './openapi/operation.ts';
import { register, type Operation, type Rooms } from './requests/operation.ts';
import { schedule } from './resources/schedules.ts';
import { sessions } from './resources/sessions.ts';
import { siteOperations } from './resources/sites.ts';
import { sourceLists } from './resources/source-batches.ts';
import { sources } from './resources/sources.ts';
import { tags } from './resources/tags.ts';
import { uploads } from './resources/uploads.ts';
import { users } from './resources/users.ts';
import { widget } from './resources/widget.ts';

/** Every operation there is, in the order of the document. */
export function operations(rooms: Rooms): Operation[] {
  const all: Operation[] = [
    ...chatbots(rooms),
    ...widget(rooms),
    ...models(rooms),
    ...agents(rooms),
    ...functions(rooms),
    ...sources(rooms),
    ...uploads(rooms),
    ...sourceLists(rooms),
    ...siteOperations(rooms),
    ...schedule(rooms),
    ...tags(rooms),
    ...sessions(rooms),
    ...users(),
    ...messages(rooms),
    openapi(() => all),
  ];
  return all;
}

/** The management interface, /api/v1. The key is checked before anything else is said about a path. */
export function createApi(rooms: Rooms, authenticate: Authenticate): Middleware {
  const router = new Router();
  const all = operations(rooms);
  const tools = { log: rooms.log, once: createOnce(rooms) };
  for (const one of all) register(router, tools, one);
  const open = new Set(all.filter((one) => one.open).map(({ method, path }) => `${method} ${path}`));
  const fixed = fixedPaths(all);
  const routes = router.routes() as unknown as Middleware;

  return async (ctx, next) => {
    if (!ctx.path.startsWith('/api/')) return next();
    const keyless = open.has(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${ctx.path}`);
    if (!keyless) ctx.state.user = await authenticate(ctx.headers.authorization);
    const takes = fixed.get(ctx.path);
    if (takes && !takes.includes(ctx.method)) throw wrongMethod(takes);
    if (MESSAGE.test(ctx.path)) throw wrongMethod([]);
    ctx.set('Cache-Control', 'no-store');
    await routes(ctx, async () => refuseUnmatched(ctx, router));
  };
}

/** A deployed client asks here first, and goes on to `…/message/stream` when it is told 405. */
const MESSAGE = /^\/api\/v1\/session\/[^/]+\/message\/?$/;

/** Paths that name no record, with the methods they take: `/chatbot/create` is the identifier of no chatbot. */
function fixedPaths(all: Operation[]): Map<string, string[]> {
  const fixed = new Map<string, string[]>();
  for (const { method, path } of all) {
    if (path.includes(':uuid')) continue;
    fixed.set(path, [...(fixed.get(path) ?? []), ...(method === 'GET' ? ['HEAD', 'GET'] : [method])]);
  }
  return fixed;
}
