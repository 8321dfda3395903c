import type { Middleware } from 'koa';
import type { Audit } from '../http/audit.ts';
import { createAuth, createFindKey, unauthorized, type Authenticate } from '../http/auth.ts';
import { isSecure } from '../http/own-address.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { notFound } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import { serveBackdrop, type BackdropDeps } from './backdrop.ts';
import { readCookie } from './cookie.ts';
import { createConsoleFiles } from './files.ts';
import { servePreview } from './preview.ts';
import { createInvitations } from './invitations.ts';
import { createOwnKeys } from './keys.ts';
import { createPasskeys } from './passkeys.ts';
import { isAllowed, isRead, mayRead, requireNamedUser, requireOwnPage } from './place.ts';
import { sessionRoutes } from './routes.ts';
import { createSignIns, signedInBy } from './sign-ins.ts';

export interface Console {
  /** /console: the page, its files and the sign-ins. */
  routes: Middleware;
  /** By key, and where a request has no `Authorization` by the cookie of a sign-in. */
  authenticate: Authenticate;
  /** False where the page is not built. */
  hasPage: boolean;
}

interface ConsoleDeps extends BackdropDeps {
  apiKey: string | undefined;
  /** The folder of the page; it may be missing. */
  dir: string;
  /** Whether the server sends mail. */
  hasMail: boolean;
  /** Whether a model writes answers. */
  hasModel: boolean;
  audit: Audit;
  clock: Clock;
}

const SESSION_PATH = /^\/console\/(?:sessions?|invitation|keys|passkeys)(?:\/|$)/;

export async function createConsole(deps: ConsoleDeps): Promise<Console> {
  const { store, apiKey, place, dir, hasMail, hasModel, audit, clock } = deps;
  const signIns = createSignIns(store, apiKey, clock);
  const byKey = createAuth(store, apiKey, clock);
  const findKey = createFindKey(store, apiKey, clock);
  const sessions = sessionRoutes({
    place,
    signIns,
    findKey,
    invitations: createInvitations(store, signIns, clock),
    keys: createOwnKeys(store, clock),
    passkeys: createPasskeys(store, signIns, clock),
    hasMail,
    hasModel,
    operator: store.owner.user,
    audit,
    clock,
  });
  const page = await createConsoleFiles(dir);

  const authenticate: Authenticate = async (request) => {
    if (request.headers.authorization !== undefined || !isAllowed(place, request)) return byKey(request);
    const token = readCookie(request, isSecure(place, request));
    if (token === undefined || (isRead(request) && !mayRead(place, request))) return byKey(request);
    if (!isRead(request)) requireOwnPage(place, request);
    const found = await signIns.find(token);
    if (!found) throw unauthorized('this sign-in has ended: sign in again at /console/, or send an API key');
    requireNamedUser(request, found.user);
    return { user: found.user, by: signedInBy(found.signIn) };
  };

  return {
    hasPage: page !== undefined,
    authenticate,

    async routes(ctx, next) {
      if (ctx.path !== '/console' && !ctx.path.startsWith('/console/')) return next();
      if (!isAllowed(place, ctx.req)) throw notFound('page');
      const serve = SESSION_PATH.test(ctx.path) ? sessions : page;
      if (!serve) throw notFound('page');
      if (ctx.path === '/console/preview') return servePreview(ctx, place);
      if (ctx.path.startsWith('/console/backdrop/'))
        return serveBackdrop(ctx, (await authenticate(ctx.req)).user, deps);
      await pageHeaders(ctx, async () => {});
      return serve(ctx, next);
    },
  };
}

/** The page loads from this server only, and makes no markup from strings. */
const pageHeaders = securityHeaders({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  frameSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
});
