import type { Trace } from '../../records.ts';
import { post } from '../../wire.ts';

export interface Traced {
  query: string;
  trace: Trace;
  /** Milliseconds from the request to its reply. */
  took: number;
}

/** As the first question of a conversation; nothing of it is stored. */
export async function traceQuestion(chatbot: string, query: string): Promise<Traced> {
  const session = await post<{ uuid: string }>(`/api/v1/chatbot/${chatbot}/session/create`, { dry_run: true });
  const path = `/api/v1/session/${session.uuid}`;
  const start = performance.now();
  try {
    const trace = await post<Trace>(`${path}/message/trace`, { query }, { isSlow: true });
    return { query, trace, took: performance.now() - start };
  } finally {
    // It was made for this one question; one that stays is empty and does no harm.
    await post(`${path}/delete`).catch(() => undefined);
  }
}
