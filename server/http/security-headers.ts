import helmet from 'koa-helmet';
import type { Middleware } from 'koa';
import { createHash } from 'node:crypto';

/** Sources by directive, such as `{ scriptSrc: ["'self'"] }`. */
export type Policy = Record<string, string[]>;

/** `Content-Security-Policy` alone. */
export const contentSecurityPolicy = (directives: Policy): Middleware =>
  helmet.contentSecurityPolicy({ useDefaults: false, directives }) as Middleware;

/** The headers of a page that is framed and loads as `directives` allow. HSTS belongs to whoever ends TLS. */
export const securityHeaders = (directives: Policy): Middleware =>
  helmet({ contentSecurityPolicy: { useDefaults: false, directives }, strictTransportSecurity: false }) as Middleware;

/** The source of one inline script or style. */
export const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
