import cors from '@koa/cors';
import Koa from 'koa';
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { outcomeOf } from './answer/stream.ts';
import { createApi } from './api/router.ts';
import { bot } from './http/bot-page.ts';
import type { Rooms } from './api/requests/operation.ts';
import type { Authenticate } from './http/auth.ts';
import { asRefusal, notFound, Refusal } from './schema/errors.ts';
import { serveHealth, type Health } from './health/health.ts';
import { newRequestId } from './http/body.ts';

interface AppRooms extends Rooms {
  authenticate: Authenticate;
  /** The widget's files: /embed.js, /embed/. */
  assets: Koa.Middleware;
  /** The interface as a page: /docs. */
  docs: Koa.Middleware;
  /** The public door, /chat and /c. */
  door: Koa.Middleware;
  /** The demo's pages; absent with DEMO=0. */
  demo: Koa.Middleware | undefined;
  health: Health;
  /** True once the process has been told to end. */
  draining(): boolean;
}

/** The order of middleware, on one screen. */
export function createApp(rooms: AppRooms): Koa {
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!CALLERS.test(error.code ?? '')) rooms.log.error({ err: error }, 'reply failed');
  });
  app.use(named(rooms.log));
  app.use(faults(rooms.log));
  app.use(refuseDraining(rooms.draining));
  app.use(serveHealth(rooms.health));
  app.use(bot);
  app.use(rooms.assets);
  app.use(rooms.docs);
  app.use(rooms.door);
  app.use(apiCors);
  app.use(createApi(rooms, rooms.authenticate));
  if (rooms.demo) app.use(rooms.demo);
  app.use(() => {
    throw notFound('page');
  });
  return app;
}

/** A caller who hangs up, or who speaks no HTTP, is no fault of ours. */
const CALLERS = /^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_\w+)$/;

const corsOfApi = cors({
  origin: '*',
  exposeHeaders: ['Retry-After', 'X-Request-Id', 'WWW-Authenticate', 'X-Unknown-Fields', 'ETag'],
  maxAge: 600,
});
const apiCors: Koa.Middleware = (ctx, next) => (ctx.path.startsWith('/api/') ? corsOfApi(ctx, next) : next());

/** What a caller may name a request: it goes into headers, the log and sentences as it is. */
const PLAIN_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** A request id, the caller's own where it is plain, on the reply and on the log's line, which masks the path's secrets. */
function named(log: Logger): Koa.Middleware {
  return (ctx, next) => {
    if (!ctx.url.startsWith('/')) ctx.url = withoutOrigin(ctx.url);
    const given = ctx.get('X-Request-Id');
    const id = PLAIN_ID.test(given) ? given : newRequestId();
    ctx.state.id = id;
    ctx.set('X-Request-Id', id);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.res.once('close', lineOf(log, id, ctx.method, masked(ctx.path)));
    return next();
  };
}

/** A proxy's `GET http://host/path` asks for a path like any other; Koa would throw at one that is no address. */
function withoutOrigin(target: string): string {
  const { pathname, search } = URL.canParse(target) ? new URL(target) : { pathname: '', search: '' };
  return pathname.startsWith('/') ? pathname + search : '/*';
}

/** A monitor asks for these all day. */
const PROBES = new Set(['/healthz', '/readyz']);

/** Made apart, so that an open stream keeps these few words and not the whole context. */
function lineOf(log: Logger, req: string, method: string, path: string): (this: ServerResponse) => void {
  const began = performance.now();
  return function logged() {
    const ms = Math.round(performance.now() - began);
    const outcome = outcomeOf(this);
    log[PROBES.has(path) ? 'debug' : 'info'](
      { req, method, path, status: this.statusCode, ms, ...(outcome && { outcome }) },
      'request',
    );
  };
}

/** A session's identifier is a secret. */
const masked = (path: string): string => path.replace(/(\/session\/)[^/]+/gi, '$1*').slice(0, 200);

/** One error rule: a Refusal is told, anything else is a 500 that says its request id and nothing more. */
function faults(log: Logger): Koa.Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal) {
        if (refusal.status >= 500 && !refusal.logged)
          log.warn({ req: ctx.state.id, code: refusal.code, err: refusal.cause }, refusal.message);
        ctx.set(refusal.headers);
        ctx.status = refusal.status;
        ctx.body = refusal.body();
      } else {
        log.error({ req: ctx.state.id, err: error }, 'request failed');
        ctx.status = 500;
        ctx.body = new Refusal('internal', `something failed here; request ${ctx.state.id}`).body();
      }
    }
  };
}

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
