import { randomBytes } from 'node:crypto';

/** Who did what, and who read conversations: entries are added, and removed by age or with what they are about. */

export interface AuditEntry {
  /** As `newAuditUuid` makes it. */
  uuid: string;
  /** ISO 8601, of the same moment. */
  at: string;
  /** Whose log it is in: a chatbot's, or where that is '' a user's own, `account`. One of the two is ''. */
  chatbot: string;
  account: string;
  /** The uuid of the user who did it. E-mail addresses are looked up when the log is read. */
  user: string;
  by: AuditedBy;
  /** The `operationId`, or the name of what the console and the shell do beside the API. */
  operation: string;
  /** The uuid of what it was done to; '' for none. */
  record: string;
  /** Short: a role, the names of changed fields. Never a secret, a visitor's words or the value of a setting. */
  detail: string;
}

/** How the user was known. `uuid` and `hint` are those of the key, `uuid` that of the sign-in; '' where there is none. */
export interface AuditedBy {
  type: (typeof AUDITED_BY)[number];
  uuid: string;
  /** The key's first characters; `API_KEY` for the one of the environment. */
  hint: string;
}

export const AUDITED_BY = ['key', 'sign-in', 'shell'] as const;

/** Of a chatbot, or of a user's own account. */
export type AuditScope = { chatbot: string } | { account: string };

export interface AuditFilter {
  /** Only of this user. */
  user?: string | undefined;
  /** Days, `YYYY-MM-DD` in UTC, both included. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  entries: AuditEntry[];
  /** The uuid to go on behind; '' where nothing is left. */
  next: string;
}

/** No verb changes or removes a single entry. */
export interface AuditVerbs {
  /** Durable once it has resolved. Entries of a chatbot or a user that is gone are left out. An entry that is there already may be kept twice. */
  addAudit(entries: readonly AuditEntry[]): Promise<void>;
  /**
   * The next `limit` entries behind the one of uuid `after`, from the newest on without it; undefined where that is none of this log.
   * With a filter a page may have fewer than there are: `next` goes on.
   */
  audit(
    scope: AuditScope,
    page: { limit: number; after?: string | undefined; filter?: AuditFilter },
  ): Promise<AuditPage | undefined>;
  /** Removes the entries of all days before `day`. */
  removeOldAudit(day: string): Promise<void>;
}

/** Digits of a uuid that say when it was made, in milliseconds: the month of an entry is known by its uuid. */
const TIME_DIGITS = 12;

export const newAuditUuid = (ms: number): string =>
  ms.toString(16).padStart(TIME_DIGITS, '0') + randomBytes(10).toString('hex');

/** `YYYY-MM`; '' for a uuid that is none of an entry. */
export function monthOfAudit(uuid: string): string {
  const date = new Date(Number.parseInt(uuid.slice(0, TIME_DIGITS), 16));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 7);
}

export const scopeOf = ({ chatbot, account }: AuditEntry): string => chatbot || account;

export const passesFilter = ({ user, at }: AuditEntry, filter: AuditFilter): boolean =>
  (filter.user === undefined || filter.user === user) &&
  (filter.from === undefined || at.slice(0, 10) >= filter.from) &&
  (filter.to === undefined || at.slice(0, 10) <= filter.to);
