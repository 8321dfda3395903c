import type { TObject } from 'typebox';
import type { Audit, Audited } from '../../http/audit.ts';
import type { Identity } from '../../http/auth.ts';
import { groupBy } from '../../store/shared/figures.ts';
import type { Requester } from './rights.ts';

/**
 * What the audit log says of an operation: `reads` where it hands out visitors' words, `changes` where it changes or sets off
 * something. Both stand in the log of the chatbot that it is about, else in that of the user's account; `changes account` in the
 * latter, which outlives the chatbot.
 */
export type AuditKind = 'none' | 'reads' | 'changes' | 'changes account';

interface Call {
  user: Requester;
  by: Identity['by'];
  /** Of the path. */
  uuid: string;
  /** The body. */
  sent: unknown;
  reply: unknown;
  detail: string | undefined;
}

/** Of one call about many records: entries of their own, and uuids that are named where there are more. */
const MAX_RECORDS = 5;

/** What a change is noted by of which it is not known how much was made before it failed. */
export const ATTEMPTED = 'attempted; it failed, and may be made in part';

/**
 * Notes a call that was not refused, before its reply is sent. What is read is not handed out where that fails. A change is made by
 * then: it is noted just after, in a write of its own, and where that fails, with the next one (see `Audit`).
 */
export async function audited(
  audit: Audit,
  operation: { id: string; audit: AuditKind; path: string; body?: TObject; creates?: true },
  { user, by, uuid, sent, reply, detail }: Call,
): Promise<void> {
  const { id, audit: kind, path, body, creates } = operation;
  if (kind === 'none') return;
  const identity = { user, by };
  const isRead = kind === 'reads';
  const what = (chatbot: string, record: string): Audited => ({
    operation: id,
    record,
    detail: detail ?? (isRead || creates || !body ? '' : fieldsIn(body, sent)),
    ...(kind === 'changes account' || chatbot === '' ? { account: user.uuid } : { chatbot }),
  });
  const { reached = [] } = user;
  if (reached.length > 0 && reached.every(({ isTest }) => isTest)) return;
  const chatbots = [...new Set(reached.map(({ chatbot }) => chatbot))];
  const record = (creates ? uuidIn(reply) : undefined) ?? uuid;
  const all =
    path.includes(':uuid') || reached.length === 0
      ? (chatbots.length === 0 ? [''] : chatbots).map((chatbot) => what(chatbot, record))
      : [...groupBy(reached, (one) => one.chatbot)].flatMap(([chatbot, some]) => {
          const records = [...new Set(some.map((one) => one.record))];
          if (records.length <= MAX_RECORDS) return records.map((one) => what(chatbot, one));
          const first = records.slice(0, MAX_RECORDS).join(', ');
          const about = `${records.length} records: ${first}, …`;
          return [{ ...what(chatbot, ''), detail: detail ? `${detail}; ${about}` : about }];
        });
  if (isRead) for (const one of all) await audit.read(identity, one);
  else await audit.changed(identity, all);
}

/** Of what was sent the fields that the operation has, for what else was sent is the caller's own words. */
const fieldsIn = (body: TObject, sent: unknown): string =>
  Object.keys(Object(sent) as object)
    .filter((name) => Object.hasOwn(body.properties, name))
    .join(', ');

const uuidIn = (reply: unknown): string | undefined => (reply as { uuid?: string } | undefined)?.uuid;
