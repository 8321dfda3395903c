import cors from '@koa/cors';
import Koa from 'koa';
import { createApi } from './api/router.ts';
import { botPage } from './http/bot-page.ts';
import type { ApiDeps } from './api/requests/operation.ts';
import type { Authenticate } from './http/auth.ts';
import { replyWithErrors } from './http/error-replies.ts';
import { logRequests } from './http/request-log.ts';
import { notFound, Refusal } from './schema/errors.ts';
import { serveHealth, type Health } from './health/health.ts';

interface AppDeps extends ApiDeps {
  authenticate: Authenticate;
  /** The widget's files: /embed.js, /embed/. */
  assets: Koa.Middleware;
  /** The API reference and the guides: /docs. */
  docs: Koa.Middleware;
  /** The public chat API, /chat, and the share page, /c. */
  chat: Koa.Middleware;
  /** The owner's console: /console; absent with CONSOLE=0. */
  console: Koa.Middleware | undefined;
  /** The demo's pages; absent with DEMO=0. */
  demo: Koa.Middleware | undefined;
  health: Health;
  /** True once the process has been told to end. */
  draining(): boolean;
}

/** The order of middleware, on one screen. */
export function createApp(deps: AppDeps): Koa {
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLIENT_ERROR_CODES.test(error.code ?? '')) deps.log.error({ err: error }, 'reply failed');
  });
  app.use(logRequests(deps.log, 'request', PROBE_PATHS));
  app.use(replyWithErrors(deps.log));
  app.use(refuseDraining(deps.draining));
  app.use(serveHealth(deps.health));
  app.use(botPage);
  app.use(deps.assets);
  app.use(deps.docs);
  app.use(deps.chat);
  if (deps.console) app.use(deps.console);
  app.use(apiCors);
  app.use(createApi(deps, deps.authenticate));
  if (deps.demo) app.use(deps.demo);
  else if (deps.console) app.use(leadToConsole);
  app.use(() => {
    throw notFound('page');
  });
  return app;
}

/** Of a browser that asks for the root; a program gets what it gets of any path that is not there. */
const leadToConsole: Koa.Middleware = (ctx, next) => {
  if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
  ctx.vary('Accept');
  if (ctx.accepts('json', 'html') !== 'html') return next();
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect('/console/');
};

/** Codes of connections that callers broke off, or on which they did not send HTTP. */
const CLIENT_ERROR_CODES =
  /^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_\w+)$/;

/** Polled by monitors. */
const PROBE_PATHS = /^\/(?:healthz|readyz)$/;

const openCors = cors({
  origin: '*',
  exposeHeaders: ['Retry-After', 'X-Request-Id', 'WWW-Authenticate', 'X-Unknown-Fields', 'X-Warnings', 'ETag', 'Link'],
  maxAge: 600,
});
const apiCors: Koa.Middleware = (ctx, next) => (ctx.path.startsWith('/api/') ? openCors(ctx, next) : next());

/** Refuses everything once the process is about to end. */
function refuseDraining(draining: () => boolean): Koa.Middleware {
  return (ctx, next) => {
    // A page of another origin may read it too, or it would take it for a network that fails.
    if (draining() && ctx.method !== 'OPTIONS')
      throw new Refusal('unavailable', 'the server is about to stop', STOPPING_OPTIONS);
    return next();
  };
}

const STOPPING_OPTIONS = {
  retryAfter: 5,
  headers: {
    Connection: 'close',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  },
};
