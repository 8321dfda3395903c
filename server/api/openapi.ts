import * as Type from 'typebox';
import { operation, type Operation } from './operation.ts';

const Open = Type.Record(Type.String(), Type.Unknown());

/** The document of all operations, its own among them. It is made at its first request. */
export function openapi(all: () => Operation[]): Operation {
  let made: Promise<object> | undefined;
  return operation({
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'Fetch all of this as an OpenAPI document; no key is needed',
    open: true,
    reply: Type.Object(
      {
        openapi: Type.Literal('3.1.1'),
        info: Open,
        servers: Type.Array(Open),
        security: Type.Array(Open),
        tags: Type.Array(Open),
        paths: Open,
        components: Open,
      },
      { additionalProperties: false },
    ),
    handle: () => (made ??= import('./document.ts').then(({ documentOf }) => documentOf(all()))),
  });
}
