import { objectIn } from '../../schema/json.ts';
import {
  isAgent,
  isChatbot,
  isDocument,
  isMessage,
  isReply,
  isSession,
  isSite,
  isSource,
  isTag,
  isUsage,
  list,
  number,
  optional,
  record,
  text,
} from '../record-checks.ts';
import { isKey, isUser } from '../shared/account-checks.ts';
import { isAuditEntry } from '../shared/audit-checks.ts';
import type { AuditEntry } from '../shared/audit.ts';
import { isCited, isFigures } from '../shared/figure-checks.ts';
import type { Cited, Figures } from '../shared/figures.ts';
import type {
  SourceDocument,
  StoredAgent,
  StoredChatbot,
  StoredKey,
  StoredMessage,
  StoredReply,
  StoredSession,
  StoredSite,
  StoredSource,
  StoredTag,
  Usage,
  User,
} from '../store.ts';

/**
 * An archive: lines of JSON, each an object of one key, which is the kind of the record. The first is `archive`, the last `end`.
 * A source stands behind its chatbot, and before its own file, document and vectors; a session stands before its messages.
 */
export interface ArchiveRecords {
  archive: ArchiveHead;
  user: User;
  key: StoredKey;
  fact: { name: string; value: string };
  chatbot: StoredChatbot;
  /** `bytes`: how many there are of its file. */
  source: { record: StoredSource; bytes?: number };
  /** The next bytes of the file, in base64. */
  file: string;
  document: SourceDocument;
  /** The first of the rows in base64. */
  vectors: { model: string; dimensions: number; rows: string };
  /** The next bytes of the rows, in base64. */
  rows: string;
  agent: StoredAgent;
  tag: StoredTag;
  site: StoredSite;
  session: StoredSession;
  message: StoredMessage;
  /** Of one day. */
  figures: Figures[];
  cited: Cited[];
  /** Of one log. */
  audit: AuditEntry[];
  usage: Usage;
  reply: StoredReply;
  end: ArchiveEnd;
}

export interface ArchiveHead {
  version: number;
  created_at: string;
  owner: User;
  /** Of the server, which signs with it. '' in the archive of one chatbot: the server that it is imported into makes its own. */
  secret: string;
}

export interface ArchiveEnd {
  /** Of the lines before it. */
  counts: Counts;
  /** CRC-32 of the bytes before it. */
  crc32: number;
}

export type Kind = keyof ArchiveRecords;
export type Counts = Partial<Record<Kind, number>>;
export type Entry = { [K in Kind]: { kind: K; value: ArchiveRecords[K] } }[Kind];

/** In archives of version 1 all rows of vectors are in one line; those of version 2 have no figures, those of version 3 no audit logs. */
export const ARCHIVE_VERSION = 4;

/** Why an archive cannot be read. Nothing of it is stored. */
export class ArchiveFault extends Error {}

const SECRET = /^(?:[0-9a-f]{64})?$/;
/** Of usage and replies the folder makes names of files. */
const DAY = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;

const CHECKS: Record<Kind, (value: unknown) => boolean> = {
  archive: record<ArchiveHead>({
    version: number,
    created_at: text,
    owner: isUser,
    secret: (value) => typeof value === 'string' && SECRET.test(value),
  }),
  user: isUser,
  key: isKey,
  fact: record<ArchiveRecords['fact']>({ name: text, value: text }),
  chatbot: isChatbot,
  source: record<ArchiveRecords['source']>({ record: isSource, bytes: optional(Number.isSafeInteger) }),
  file: text,
  document: isDocument,
  vectors: record<ArchiveRecords['vectors']>({ model: text, dimensions: number, rows: text }),
  rows: text,
  agent: isAgent,
  tag: isTag,
  site: isSite,
  session: isSession,
  message: isMessage,
  figures: list(isFigures),
  cited: list(isCited),
  audit: list(isAuditEntry),
  usage: (value) => isUsage(value) && DAY.test((value as Usage).day),
  reply: (value) => isReply(value) && DAY.test((value as StoredReply).created_at),
  end: record<ArchiveEnd>({ counts: record<Counts>({} as never), crc32: number }),
};

export const lineOf = <K extends Kind>(kind: K, value: ArchiveRecords[K]): Buffer =>
  Buffer.from(`${JSON.stringify({ [kind]: value })}\n`);

/** Undefined where it is no line of an archive. */
export function parseLine(line: string): Entry | undefined {
  const entries = Object.entries(objectIn(line));
  const [kind, value] = entries[0] ?? [];
  if (entries.length !== 1 || kind === undefined || !Object.hasOwn(CHECKS, kind)) return undefined;
  return CHECKS[kind as Kind](value) ? ({ kind, value } as Entry) : undefined;
}
