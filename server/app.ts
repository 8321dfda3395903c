import cors from '@koa/cors';
import Koa from 'koa';
import { createApi } from './api/router.ts';
import { bot } from './http/bot-page.ts';
import type { Rooms } from './api/requests/operation.ts';
import type { Authenticate } from './http/auth.ts';
import { replyWithErrors } from './http/error-replies.ts';
import { logRequests } from './http/request-log.ts';
import { notFound, Refusal } from './schema/errors.ts';
import { serveHealth, type Health } from './health/health.ts';

interface AppDeps extends Rooms {
  authenticate: Authenticate;
  /** The widget's files: /embed.js, /embed/. */
  assets: Koa.Middleware;
  /** The API reference and the guides: /docs. */
  docs: Koa.Middleware;
  /** The public chat API, /chat, and the share page, /c. */
  chat: Koa.Middleware;
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
    if (!CALLERS.test(error.code ?? '')) deps.log.error({ err: error }, 'reply failed');
  });
  app.use(logRequests(deps.log, 'request', PROBES));
  app.use(replyWithErrors(deps.log));
  app.use(refuseDraining(deps.draining));
  app.use(serveHealth(deps.health));
  app.use(bot);
  app.use(deps.assets);
  app.use(deps.docs);
  app.use(deps.chat);
  app.use(apiCors);
  app.use(createApi(deps, deps.authenticate));
  if (deps.demo) app.use(deps.demo);
  app.use(() => {
    throw notFound('page');
  });
  return app;
}

/** Codes of connections that callers broke off, or on which they did not send HTTP. */
const CALLERS = /^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_\w+)$/;

/** Polled by monitors. */
const PROBES = /^\/(?:healthz|readyz)$/;

const corsOfApi = cors({
  origin: '*',
  exposeHeaders: ['Retry-After', 'X-Request-Id', 'WWW-Authenticate', 'X-Unknown-Fields', 'ETag'],
  maxAge: 600,
});
const apiCors: Koa.Middleware = (ctx, next) => (ctx.path.startsWith('/api/') ? corsOfApi(ctx, next) : next());

/** Refuses everything once the process is about to end. */
function refuseDraining(draining: () => boolean): Koa.Middleware {
  return (ctx, next) => {
    // A page of another origin may read it too, or it would take it for a network that fails.
    if (draining() && ctx.method !== 'OPTIONS')
      throw new Refusal('unavailable', 'the server is about to stop', STOPPING);
    return next();
  };
}

const STOPPING = {
  retryAfter: 5,
  headers: {
    Connection: 'close',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  },
};
