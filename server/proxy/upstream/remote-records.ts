import { citationsIn, followUpsIn } from '../../answer/message-records.ts';
import type { AnswerResult } from '../../answer/runs.ts';
import { timestamp, type Clock } from '../../schema/ids.ts';
import { partsIn } from '../../schema/parts.ts';
import { DEFAULT_LIMIT_MESSAGE } from '../../schema/visitor.ts';
import { outcomeIn } from '../../store/outcomes.ts';
import type { StoredChatbot } from '../../store/store.ts';
import type { Citations, Outcome, Part } from '../../types.ts';

/** Untrusted records of the remote server: fields that are missing or of the wrong type get the interface's defaults. */

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const stringOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

export function readChatbot(reply: unknown, uuid: string, clock: Clock): StoredChatbot {
  const { name, created_at, modified_at, meta } = fieldsOf(reply);
  const { rate_limit, rate_limit_message, visibility, show_citations, show_citation } = fieldsOf(meta);
  const now = timestamp(clock);
  const show = show_citations ?? show_citation;
  return {
    uuid,
    name: stringOr(name, ''),
    created_at: stringOr(created_at, now),
    modified_at: stringOr(modified_at, now),
    owner: '',
    meta: {
      rate_limit: readRateLimit(rate_limit),
      rate_limit_message: stringOr(rate_limit_message, DEFAULT_LIMIT_MESSAGE),
      show_citations: show === true || show === 1,
      visibility: visibility === 'public' || visibility === 'hybrid' ? visibility : 'private',
    },
  };
}

function readRateLimit(value: unknown): [number, number] {
  const [count, seconds] = Array.isArray(value) ? (value as unknown[]) : [];
  return isWithin(count, 100) && isWithin(seconds, 360) ? [count, seconds] : [20, 240];
}

const isWithin = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;

export function readSessionUuid(reply: unknown): string | undefined {
  const { uuid } = fieldsOf(reply);
  return typeof uuid === 'string' && uuid !== '' && uuid.length <= 200 ? uuid : undefined;
}

export interface RemoteMessage {
  response: string;
  finish_reason: AnswerResult['finish_reason'];
  citations: Citations;
  outcome: Outcome | undefined;
  parts: Part[];
  followUps: { follow_ups?: string[] };
}

/** The record of the answer that was just streamed: the last one with its question. */
export function findMessage(reply: unknown, query: string): RemoteMessage | undefined {
  const records = Array.isArray(reply) ? reply.map(fieldsOf) : [];
  const found = records.findLast((record) => record['query'] === query);
  const meta = stringOr(found?.['meta_json'], '');
  return (
    found && {
      response: stringOr(found['response'], ''),
      finish_reason: readFinishReason(found['finish_reason']),
      citations: citationsIn({ cite_data_json: stringOr(found['cite_data_json'], '') }),
      outcome: outcomeIn(meta),
      parts: partsIn(meta),
      followUps: followUpsIn(meta),
    }
  );
}

function readFinishReason(value: unknown): AnswerResult['finish_reason'] {
  if (value === 'interrupted') return 'error';
  return value === 'length' || value === 'error' || value === 'stopped' || value === 'quota' ? value : 'stop';
}
