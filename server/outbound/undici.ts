/**
 * The parts of undici that send requests. Its index runs its fetch, WebSocket, caches and mocks as well, 2 MB of memory that a
 * server would keep for nothing.
 */
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import buildConnector from 'undici/lib/core/connect.js';
import request from 'undici/lib/api/api-request.js';

// As the index does with each of its ways to ask.
Object.assign(Dispatcher.prototype, { request });

export { Agent, buildConnector, Client };
