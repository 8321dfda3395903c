import type { Context, Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { guides } from '../../docs/guides.ts';
import { notFound } from '../../schema/errors.ts';
import { requireRead } from '../../http/body.ts';
import { securityHeaders } from '../../http/security-headers.ts';
import { createFileReader, sendFile, staticFile } from '../../http/static.ts';

/** GET /docs, the API reference, and GET /docs/<name>, a guide of server/docs. None needs a key; the reference asks for one to try an operation. */

const STYLE =
  'body{margin:0}nav{display:flex;flex-wrap:wrap;gap:4px 16px;padding:12px 24px;font:16px/1.5 system-ui,sans-serif;' +
  'background:#f3f4f6}nav a{color:#1d4ed8}';
/** Hash of RapiDoc's style element. It depends on the colours and fonts of PAGE. */
const THEME = "'sha256-1gMgWwENTuZtm8MOrcfpTUCRprMPtkNeph5Xcyj/LTE='";

const links = Object.entries(guides).map(([name, title]) => `<a href="docs/${name}">${title}</a>`);

/** Addresses are relative, so that the page works below any path prefix of a reverse proxy. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Docent</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<script defer src="docs/rapidoc.js"></script>
</head>
<body>
<nav aria-label="Guides">${links.join(' ')}</nav>
<rapi-doc spec-url="api/v1/openapi.json" theme="light" bg-color="#ffffff" text-color="#1f2937" primary-color="#1d4ed8"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" load-fonts="false" font-size="large"
  render-style="read" schema-style="table" schema-description-expanded="true" show-header="false" show-method-in-nav-bar="as-colored-text"
  nav-bg-color="#f3f4f6" nav-text-color="#1f2937" allow-server-selection="false" allow-spec-file-download="false"></rapi-doc>
<noscript><a href="api/v1/openapi.json">The OpenAPI document</a></noscript>
</body>
</html>
`;

/** Loads from this server only. RapiDoc sets style attributes, which a hash cannot allow: hence 'unsafe-inline' for them. */
const pageHeaders = securityHeaders({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`, THEME],
  styleSrcAttr: ["'unsafe-inline'"],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

/** The guides run no script and load their style sheet alone. */
const guideHeaders = securityHeaders({
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  imgSrc: ['data:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

interface Route {
  headers: Middleware;
  serve: (ctx: Context) => void | Promise<void>;
}

/** `dir` is `dist/docs`. */
export function createDocs({ dir }: { dir: string }): Middleware {
  const read = createFileReader(dir);
  const file = (name: string) => async (ctx: Context) => {
    const found = await read(name);
    if (!found) throw notFound('page');
    sendFile(ctx, found);
  };
  const reference = staticFile('html', Buffer.from(PAGE));

  const routes = new Map<string, Route>([
    ['/docs', { headers: pageHeaders, serve: (ctx) => sendFile(ctx, reference) }],
    ['/docs/', { headers: pageHeaders, serve: (ctx) => ctx.redirect('../docs') }],
    ['/docs/rapidoc.js', { headers: pageHeaders, serve: file('rapidoc.js') }],
    ['/docs/style.css', { headers: guideHeaders, serve: file('style.css') }],
    ...Object.keys(guides).map((name): [string, Route] => [
      `/docs/${name}`,
      { headers: guideHeaders, serve: file(`${name}.html`) },
    ]),
  ]);

  return async (ctx, next) => {
    const route = routes.get(ctx.path);
    if (!route) return next();
    requireRead(ctx);
    ctx.set('Cache-Control', 'no-cache');
    await route.headers(ctx, async () => route.serve(ctx));
    return undefined;
  };
}
