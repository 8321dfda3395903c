import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A site of a shop with 50 pages, on 127.0.0.1. */
export interface Site {
  /** Its first page. */
  url: string;
  /** `host:port`, for FETCH_ALLOW. */
  host: string;
  close(): void;
}

export const PAGES = 50;

const GOODS = ['Lamps', 'Chairs', 'Tables', 'Shelves', 'Carpets'];

/** Each page says something that no other says: what it costs to have `<goods> of series <number>` delivered. */
const sentence = (at: number): string =>
  `${GOODS[at % GOODS.length]} of series ${at} are delivered within ${at + 2} days for ${at + 5} pounds.`;

const LOOK = '<meta name="theme-color" content="#0f766e"><meta property="og:site_name" content="The series shop">';

const pathOf = (at: number): string => (at === 0 ? '/' : `/page-${at}.html`);

function page(at: number): string {
  const links = Array.from({ length: PAGES }, (_, to) => `<li><a href="${pathOf(to)}">Page ${to}</a></li>`).join('');
  const heading = `How are ${GOODS[at % GOODS.length]!.toLowerCase()} of series ${at} delivered?`;
  return `<!doctype html><html lang="en"><title>${heading} | Series shop</title>${LOOK}<main><h1>${heading}</h1><p>${sentence(at)}</p></main><nav><ul>${links}</ul></nav>`;
}

export const startSite = (): Promise<Site> =>
  serve((url) => {
    const at = url === '/' ? 0 : Number(/^\/page-(\d+)\.html$/.exec(url)?.[1] ?? PAGES);
    return at < PAGES ? page(at) : undefined;
  });

/** A site of this one page. */
export const startPage = (html: string): Promise<Site> => serve((url) => (url === '/' ? html : undefined));

/** `pageAt` has the page of a path; undefined for a 404. */
async function serve(pageAt: (path: string) => string | undefined): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const html = pageAt(request.url ?? '');
    response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(html ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/`,
    host,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
