import type { Middleware } from 'koa';
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { outcomeForLog } from '../answer/stream.ts';
import { newRequestId } from './body.ts';

/** A caller may name a request like this; the id goes into headers, the log and error sentences as it is. */
const SAFE_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Gives each request an id, the caller's own where it is plain, and writes a log line when the reply has closed: `message`
 * with id, method, path and status. Requests to `polled` paths are logged at debug. Session identifiers are masked.
 */
export function logRequests(log: Logger, message: string, polled: RegExp): Middleware {
  /** A function of its own, so that an open stream keeps these few words and not the whole context. */
  function logLine(req: string, method: string, path: string): (this: ServerResponse) => void {
    const began = performance.now();
    const level = polled.test(path) ? 'debug' : 'info';
    return function logged() {
      const ms = Math.round(performance.now() - began);
      const outcome = outcomeForLog(this);
      log[level]({ req, method, path, status: this.statusCode, ms, ...(outcome && { outcome }) }, message);
    };
  }

  return (ctx, next) => {
    if (!ctx.url.startsWith('/')) ctx.url = withoutOrigin(ctx.url);
    const sentId = ctx.get('X-Request-Id');
    const id = SAFE_ID.test(sentId) ? sentId : newRequestId();
    ctx.state['id'] = id;
    ctx.set('X-Request-Id', id);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.res.once('close', logLine(id, ctx.method, maskSession(ctx.path)));
    return next();
  };
}

/** A proxy's `GET http://host/path` asks for a path like any other; Koa would throw at one that is no address. */
function withoutOrigin(target: string): string {
  const { pathname, search } = URL.canParse(target) ? new URL(target) : { pathname: '', search: '' };
  return pathname.startsWith('/') ? pathname + search : '/*';
}

/** A session's identifier is a secret. */
const maskSession = (path: string): string =>
  path.replace(/(\/(?:session|conversations)\/)[^/]+/gi, '$1*').slice(0, 200);
