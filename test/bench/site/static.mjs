import { createReadStream, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

/**
 * A folder as a site: `node static.mjs FOLDER [--sitemap]`. Says its port in one JSON line. With `--sitemap` its sitemap.xml
 * lists all pages of the folder.
 */
const root = process.argv[2] ?? '.';
const hasSitemap = process.argv.includes('--sitemap');
const TYPES = {
  '.html': 'text/html',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** @param {string} path */
function fileAt(path) {
  try {
    const file = join(root, decodeURIComponent(path.endsWith('/') ? `${path}index.html` : path));
    return file.startsWith(root) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} origin */
function sitemap(origin) {
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.html?$/.test(name));
  const urls = pages.map(
    (name) => `<url><loc>${origin}/${name.split('/').map(encodeURIComponent).join('/')}</loc></url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://site.test');
  if (hasSitemap && pathname === '/sitemap.xml') {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(sitemap(`http://${request.headers.host}`));
    return;
  }
  const file = fileAt(pathname);
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('there is no such page\n');
    return;
  }
  const type = Reflect.get(TYPES, extname(file)) ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type });
  createReadStream(file).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
