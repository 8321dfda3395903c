import type { Middleware } from 'koa';
import { requireRead } from './body.ts';

/** GET /bot: for the owner of a site who has found DocentBot in a log. */

const TEXT = `DocentBot reads pages for the chatbots of this server.

It reads the pages that the owner of a chatbot has named, when they are named and when that owner asks for
them again. A chatbot quotes them and links to them.

It obeys robots.txt, under the name DocentBot, and Crawl-delay up to ten seconds; Retry-After; and noindex in a robots
meta tag or an X-Robots-Tag. It sends two requests at once to a site at most, and does not fetch what has not changed.

To keep it out:

User-agent: DocentBot
Disallow: /
`;

export const botPage: Middleware = (ctx, next) => {
  if (ctx.path !== '/bot') return next();
  requireRead(ctx);
  ctx.body = TEXT;
  return undefined;
};
