import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { Authenticate } from '../http/auth.ts';
import { refuseUnmatched, wrongMethod } from '../http/body.ts';
import { agents } from './resources/agents.ts';
import { auditLogs } from './resources/audit.ts';
import { analytics } from './resources/analytics.ts';
import { chatbotExport } from './resources/chatbot-export.ts';
import { chatbots } from './resources/chatbots.ts';
import { conversations } from './resources/sessions/conversations.ts';
import { gaps } from './resources/gaps.ts';
import { functions } from './resources/functions.ts';
import { createRunOnce } from './requests/idempotency.ts';
import { invitations } from './resources/people/invitations.ts';
import { mailOperations } from './resources/mail.ts';
import { members } from './resources/people/members.ts';
import { models } from './resources/models.ts';
import { messages } from './resources/sessions/messages.ts';
import { openapi } from './openapi/operation.ts';
import { register, type Operation, type ApiDeps } from './requests/operation.ts';
import { schedule } from './resources/sources/schedules.ts';
import { sessions } from './resources/sessions/sessions.ts';
import { siteOperations } from './resources/sources/sites.ts';
import { sourceBatches } from './resources/sources/source-batches.ts';
import { sourceChange } from './resources/sources/source-change.ts';
import { sources } from './resources/sources/sources.ts';
import { sourceTexts } from './resources/sources/source-texts.ts';
import { tags } from './resources/sources/tags.ts';
import { uploads } from './resources/sources/uploads.ts';
import { routing } from './resources/routing.ts';
import { retention } from './resources/retention.ts';
import { serverModels } from './resources/server-models.ts';
import { users } from './resources/users.ts';
import { widget } from './resources/widget.ts';

/** All operations, in the order of the OpenAPI document. */
export function operations(deps: ApiDeps): Operation[] {
  const all: Operation[] = [
    ...chatbots(deps),
    chatbotExport(deps),
    ...widget(deps),
    ...analytics(deps),
    ...gaps(deps),
    ...models(deps),
    ...agents(deps),
    ...routing(deps),
    ...functions(deps),
    ...sources(deps, sourceChange(deps)),
    ...sourceTexts(deps),
    ...uploads(deps),
    ...sourceBatches(deps),
    ...siteOperations(deps),
    ...schedule(deps),
    ...tags(deps),
    ...sessions(deps),
    ...conversations(deps),
    ...retention(deps),
    ...members(deps),
    ...invitations(deps),
    ...users(deps),
    ...serverModels(deps),
    ...mailOperations(deps),
    ...messages(deps),
    ...auditLogs(deps, () => all),
    openapi(() => all),
  ];
  return all;
}

/** The management API, /api/v1. The key is checked before 404 and 405, so that paths cannot be probed without one. */
export function createApi(deps: ApiDeps, authenticate: Authenticate): Middleware {
  const router = new Router();
  const all = operations(deps);
  const tools = { log: deps.log, clock: deps.clock, once: createRunOnce(deps), audit: deps.audit };
  for (const one of all) register(router, tools, one);
  const open = new Set(all.filter(({ right }) => right === 'open').map(({ method, path }) => `${method} ${path}`));
  const fixed = fixedPaths(all);
  const routes = router.routes() as unknown as Middleware;

  return async (ctx, next) => {
    if (!ctx.path.startsWith('/api/')) return next();
    const keyless = open.has(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${ctx.path}`);
    if (!keyless) ctx.state.identity = await authenticate(ctx.req);
    const takes = fixed.get(ctx.path);
    if (takes && !takes.includes(ctx.method)) throw wrongMethod(takes);
    if (MESSAGE.test(ctx.path)) throw wrongMethod([]);
    ctx.set('Cache-Control', 'no-store');
    await routes(ctx, async () => refuseUnmatched(ctx, router));
  };
}

/** A deployed client tries this path first and falls back to `…/message/stream` on 405. */
const MESSAGE = /^\/api\/v1\/session\/[^/]+\/message\/?$/;

/** Methods by path, of paths without `:uuid`: else GET `/chatbot/create` would match `/chatbot/:uuid`. */
function fixedPaths(all: Operation[]): Map<string, string[]> {
  const fixed = new Map<string, string[]>();
  for (const { method, path } of all) {
    if (path.includes(':uuid')) continue;
    fixed.set(path, [...(fixed.get(path) ?? []), ...(method === 'GET' ? ['HEAD', 'GET'] : [method])]);
  }
  return fixed;
}
