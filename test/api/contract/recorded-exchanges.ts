import type { IncomingMessage, ServerResponse } from 'node:http';
import { operations } from '../../../server/api/router.ts';
import { createOpenapiDocument } from '../../../server/api/openapi/document.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { conformance, type Exchange } from './conformance.ts';

/** Every JSON reply under /api that a server sends in a test, however it was asked for, held against the document. */
export interface ExchangeRecorder {
  /** Call before the request is handled. */
  hear(request: IncomingMessage, response: ServerResponse): void;
  /** Throws where a reply was not as the document says. */
  check(): void;
}

export function recordExchanges(): ExchangeRecorder {
  const heard: { told: string; exchange: () => Exchange }[] = [];

  function hear({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    if (!url.startsWith('/api/')) return;
    const pieces: Buffer[] = [];
    const { write, end } = response;
    const keep = (piece: unknown): void => {
      if (typeof piece === 'string' || piece instanceof Uint8Array) pieces.push(Buffer.from(piece as string));
    };
    response.write = (piece: unknown, ...rest: unknown[]) => {
      keep(piece);
      return Reflect.apply(write, response, [piece, ...rest]);
    };
    response.end = (piece: unknown, ...rest: unknown[]) => {
      keep(piece);
      return Reflect.apply(end, response, [piece, ...rest]);
    };
    response.once('finish', () => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(response.getHeaders())) headers.set(name, String(value));
      if (!headers.get('content-type')?.startsWith('application/json') || method === 'HEAD') return;
      // Compressed bytes are the document, which is read everywhere else.
      if (headers.has('content-encoding')) return;
      const status = response.statusCode;
      // Read at the end: a test that measures how long others wait must not wait for this.
      const body = (): unknown => JSON.parse(Buffer.concat(pieces).toString());
      heard.push({
        told: `${method} ${url.slice(0, 100)} answered ${status}`,
        exchange: () => ({ method, path: url, status, headers, body: body() }),
      });
    });
  }

  function check(): void {
    const faultsOf = conformance(createOpenapiDocument(operations({} as ApiDeps)));
    const wrong = heard.flatMap(({ told, exchange }) => faultsOf(exchange()).map((fault) => `${told}: ${fault}`));
    if (wrong.length > 0) throw new Error(`not as the document says:\n${[...new Set(wrong)].slice(0, 20).join('\n')}`);
  }

  return { hear, check };
}
