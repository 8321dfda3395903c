import { oneOf, record, text, time, uuid } from '../record-checks.ts';
import { AUDITED_BY, type AuditEntry, type AuditedBy } from './audit.ts';

const uuidOrNone = (value: unknown): boolean => value === '' || uuid(value);

const hasFields = record<AuditEntry>({
  uuid,
  at: time,
  chatbot: uuidOrNone,
  account: uuidOrNone,
  user: uuid,
  by: record<AuditedBy>({ type: oneOf(...AUDITED_BY), uuid: uuidOrNone, hint: text }),
  operation: text,
  record: uuidOrNone,
  detail: text,
});

export const isAuditEntry = (value: unknown): value is AuditEntry =>
  hasFields(value) && ((value as AuditEntry).chatbot === '') !== ((value as AuditEntry).account === '');
