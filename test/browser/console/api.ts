import { expect } from 'vitest';
import type { BuiltServer } from '../built-server.ts';

/** /api/v1 of a built server, for what a screen is to show. */
export interface Api {
  /** Rejects with the reply where that is no 200. */
  call<T = Record<string, string>>(method: string, path: string, body?: object): Promise<T>;
  /** A chatbot with one question and its answer, learned. */
  newChatbot(name: string, question: string, answer: string): Promise<string>;
  /** Asks in a session of its own; returns that. */
  ask(chatbot: string, query: string): Promise<string>;
}

export function apiOf({ base, key }: BuiltServer): Api {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await fetch(`${base}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  return {
    call,
    async newChatbot(name, question, answer) {
      const settings = { name, visibility: 'public', show_citations: true };
      const { uuid } = await call<{ uuid: string }>('POST', '/chatbot/create', settings);
      const path = `/chatbot/${uuid}/data-source/qa`;
      const source = await call<{ uuid: string }>('POST', path, { question, answer });
      const status = async () => (await call<{ status: string }>('GET', `/data-source/${source.uuid}`)).status;
      await expect.poll(status).toBe('success');
      return uuid;
    },
    async ask(chatbot, query) {
      const { uuid } = await call<{ uuid: string }>('POST', `/chatbot/${chatbot}/session/create`, {});
      await call('POST', `/session/${uuid}/message/non-stream`, { query });
      return uuid;
    },
  };
}
