import type { ChatEvent } from '../../../../server/types.ts';
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
  try {
    return await traceIn(session.uuid, { query });
  } finally {
    // It was made for this one question; one that stays is empty and does no harm.
    await post(`/api/v1/session/${session.uuid}/delete`).catch(() => undefined);
  }
}

/** As the next question of a session, or at the place of the message `before`. */
export async function traceIn(session: string, asked: { query: string; before?: string }): Promise<Traced> {
  const start = performance.now();
  const trace = await post<Trace>(`/api/v1/session/${session}/message/trace`, asked, { isSlow: true });
  return { query: asked.query, trace, took: performance.now() - start };
}

/** The last event of the stream that a visitor gets. */
export function asVisitorSees({ query, trace }: Traced): ChatEvent {
  const { answer, finish_reason, citations, parts, follow_ups, outcome, error_message } = trace;
  if (error_message)
    return { event: 'error', data: { error: 'the answer could not be finished', code: 'internal', parts } };
  const cited = citations.map(({ marker, data_source_uuid, title, text, address, type }) => [
    marker,
    { data_source_uuid, title, text, file_name: address, type },
  ]);
  const now = new Date().toISOString();
  return {
    event: 'done',
    data: {
      uuid: crypto.getRandomValues(new Uint32Array(4)).join('-'),
      query,
      response: answer,
      finish_reason,
      cite_data_json: JSON.stringify(Object.fromEntries(cited)),
      feedback_json: '{}',
      created_at: now,
      modified_at: now,
      outcome,
      parts,
      follow_ups,
    },
  };
}
