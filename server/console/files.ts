import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { requireRead } from '../http/body.ts';
import { HASHED_NAME, IMMUTABLE, readStaticFile, sendFile, type StaticFile } from '../http/static.ts';
import { notFound } from '../schema/errors.ts';

/**
 * The console's build in `dir`, below /console/. It is read once, here: no path of a request ever reaches the disk. A path
 * without a dot is one of a screen, and gets the page. Undefined where there is no build.
 */
export async function createConsoleFiles(dir: string): Promise<Middleware | undefined> {
  const files = new Map<string, StaticFile>();
  for (const name of namesIn(dir)) files.set(`/console/${name}`, (await readStaticFile(join(dir, name)))!);
  const page = files.get('/console/index.html');
  if (!page) return undefined;
  return (ctx) => {
    if (ctx.path === '/console') {
      requireRead(ctx);
      ctx.status = 308;
      // Relative, so that it holds below any path of a reverse proxy.
      ctx.set('Location', 'console/');
      return;
    }
    const file = ctx.path.includes('.') ? files.get(ctx.path) : page;
    if (!file) throw notFound('page');
    sendFile(ctx, file, HASHED_NAME.test(ctx.path) ? IMMUTABLE : 'no-cache');
  };
}

function namesIn(dir: string): string[] {
  const entries = existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }) : [];
  const paths = entries
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(dir.length + 1));
  return paths.filter((path) => !/\.(?:br|gz|map)$/.test(path)).map((path) => path.replaceAll('\\', '/'));
}
