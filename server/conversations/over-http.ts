import { jsonIn } from '../schema/json.ts';
import type { Call } from './hold.ts';

/** Requests to a server at an address, with a key of its user's. */
export function callOverHttp(server: string, key: string): Call {
  const base = server.replace(/\/+$/, '');
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const init = { method, headers, redirect: 'error', ...(body ? { body: JSON.stringify(body) } : {}) } as const;
    const reply = await fetch(`${base}${path}`, init).catch((error: Error) => {
      const { cause } = error;
      const reason = cause instanceof Error ? cause.message || error.message : error.message;
      throw new Error(`${base} cannot be reached: ${reason}`, { cause: error });
    });
    const text = await reply.text();
    const record = jsonIn(text);
    if (reply.status === 200 && record !== undefined) return record as T;
    const { error } = (record ?? {}) as { error?: unknown };
    const hint = reply.status === 401 ? '; set DOCENT_API_KEY to a key of that server' : '';
    throw new Error(
      typeof error === 'string' ? error + hint : `${base} is no server of Docent: ${method} ${path}: ${reply.status}`,
    );
  };
}
