import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { Authenticate } from '../auth.ts';
import { refuseUnmatched } from '../http.ts';
import { agents } from './agents.ts';
import { chatbots } from './chatbots.ts';
import { functions } from './functions.ts';
import { models } from './models.ts';
import { register, type Operation, type Rooms } from './operation.ts';
import { sessions } from './sessions.ts';
import { sources } from './sources.ts';
import { users } from './users.ts';

/** Every operation there is, in the order of the document. */
export const operations = (rooms: Rooms): Operation[] => [
  ...chatbots(rooms),
  ...models(rooms),
  ...agents(rooms),
  ...functions(rooms),
  ...sources(rooms),
  ...sessions(rooms),
  ...users(),
];

/** The management interface, /api/v1. The key is checked before anything else is said about a path. */
export function createApi(rooms: Rooms, authenticate: Authenticate): Middleware {
  const router = new Router();
  for (const one of operations(rooms)) register(router, one);
  const routes = router.routes() as unknown as Middleware;

  return async (ctx, next) => {
    if (!ctx.path.startsWith('/api/')) return next();
    ctx.state.user = await authenticate(ctx.headers.authorization);
    ctx.set('Cache-Control', 'no-store');
    await routes(ctx, async () => refuseUnmatched(ctx, router));
  };
}
