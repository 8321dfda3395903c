import type { Context, Middleware } from 'koa';
import helmet from 'koa-helmet';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../errors.ts';
import { wrongMethod } from '../http.ts';

/** GET /docs: the OpenAPI document as a page for people. No key; what is tried out there asks for one. */

const STYLE = 'body{margin:0}';
/** RapiDoc's own style element, as it comes out with the colours and fonts below: other ones give another hash. */
const THEME = "'sha256-1gMgWwENTuZtm8MOrcfpTUCRprMPtkNeph5Xcyj/LTE='";

/** Addresses without a slash at their head: they hold wherever a proxy in front puts this server. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Docent: the interface</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<script defer src="docs/rapidoc.js"></script>
</head>
<body>
<rapi-doc spec-url="api/v1/openapi.json" theme="light" bg-color="#ffffff" text-color="#1f2937" primary-color="#1d4ed8"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" load-fonts="false" font-size="large"
  render-style="read" schema-style="table" schema-description-expanded="true" show-header="false" show-method-in-nav-bar="as-colored-text"
  nav-bg-color="#f3f4f6" nav-text-color="#1f2937" allow-server-selection="false" allow-spec-file-download="false"></rapi-doc>
<noscript><a href="api/v1/openapi.json">The OpenAPI document</a></noscript>
</body>
</html>
`;

/** The page asks nobody but this server. RapiDoc sets style attributes, which no hash can name; they alone are free. */
const pageHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`, THEME],
      styleSrcAttr: ["'unsafe-inline'"],
      imgSrc: ['data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
}) as Middleware;

/** `dir` is where the build has put the page's script; it is read when it is asked for, which is seldom. */
export function createDocs({ dir }: { dir: string }): Middleware {
  const file = (name: string): Promise<Buffer | undefined> => readFile(join(dir, name)).catch(() => undefined);

  async function script(ctx: Context): Promise<void> {
    const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
    const compressed = await file(`rapidoc.js.${encoding === 'gzip' ? 'gz' : encoding}`);
    const body = compressed ?? (await file('rapidoc.js'));
    if (!body) throw notFound('page');
    ctx.vary('Accept-Encoding');
    ctx.etag = createHash('sha256').update(body).digest('hex').slice(0, 16);
    ctx.type = 'text/javascript; charset=utf-8';
    if (compressed) ctx.set('Content-Encoding', encoding);
    ctx.body = body;
    if (ctx.fresh) ctx.status = 304;
  }

  const served: Record<string, (ctx: Context) => void | Promise<void>> = {
    '/docs': (ctx) => {
      ctx.type = 'html';
      ctx.body = PAGE;
    },
    '/docs/': (ctx) => ctx.redirect('../docs'),
    '/docs/rapidoc.js': script,
  };

  return async (ctx, next) => {
    const serve = served[ctx.path];
    if (!serve) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw wrongMethod(['HEAD', 'GET']);
    }
    ctx.set('Cache-Control', 'no-cache');
    await pageHeaders(ctx, async () => serve(ctx));
    return undefined;
  };
}
