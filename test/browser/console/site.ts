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

const pathOf = (at: number): string => (at === 0 ? '/' : `/page-${at}.html`);

function page(at: number): string {
  const links = Array.from({ length: PAGES }, (_, to) => `<li><a href="${pathOf(to)}">Page ${to}</a></li>`).join('');
  const heading = `How are ${GOODS[at % GOODS.length]!.toLowerCase()} of series ${at} delivered?`;
  return `<!doctype html><html lang="en"><title>${heading}</title><main><h1>${heading}</h1><p>${sentence(at)}</p></main><nav><ul>${links}</ul></nav>`;
}

export async function startSite(): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const at = request.url === '/' ? 0 : Number(/^\/page-(\d+)\.html$/.exec(request.url ?? '')?.[1] ?? PAGES);
    response.writeHead(at < PAGES ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(at < PAGES ? page(at) : '');
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
