/**
 * The parts of undici that send requests. Its index runs its fetch, WebSocket, caches and mocks as well, memory that a server would
 * keep for nothing.
 */
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import buildConnector from 'undici/lib/core/connect.js';
import send from 'undici/lib/api/api-request.js';

// undici's HTTP parser is WebAssembly. V8's optimizing compiler takes 36 MB for it, 8 of which stay with the process; no bench of
// the server is slower without. Node 24 needs both flags. The local embedder is WebAssembly too, and turns them on again.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);

/** As `Dispatcher.request`, which the index alone adds to its dispatchers. */
export const request = (dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> =>
  send.call(dispatcher, options);

export { Agent, buildConnector, Client };
