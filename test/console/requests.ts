import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

/** Requests as browsers send them: `fetch` of Node adds headers of its own, and sets no `Host`. */

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // Each test says what it expects of it.
  body: any; // oxlint-disable-line no-explicit-any
}

export function send(
  base: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: object | string,
): Promise<Answer> {
  const sent = typeof body === 'object' ? JSON.stringify(body) : body;
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const asking = request(
      { hostname, port, method, path, headers: { ...type, ...headers }, agent: false },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8');
        reply.on('data', (piece: string) => (text += piece));
        reply.on('end', () => {
          const isJson = reply.headers['content-type']?.startsWith('application/json') === true && text !== '';
          resolve({
            status: reply.statusCode!,
            headers: reply.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    asking.on('error', reject);
    asking.end(sent);
  });
}

/** What a browser says of a request by a page of the server itself. */
export const OWN = { 'sec-fetch-site': 'same-origin' };

/** The cookie as a browser sends it back; '' where the reply sets none. */
export const cookieOf = ({ headers }: Answer): string => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

/** Signs in, and returns the `Cookie` header of what follows. Throws where it is refused. */
export async function signIn(
  base: string,
  credentials: { link: string } | { key: string },
  headers: OutgoingHttpHeaders = {},
): Promise<string> {
  const reply = await send(base, 'POST', '/console/session', { ...OWN, ...headers }, credentials);
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return cookieOf(reply);
}

/** The token in what `docent login` prints. */
export const tokenOf = (link: string): string => /#sign-in=([\w-]{43})$/.exec(link.trim())![1]!;
