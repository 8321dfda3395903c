import { withModifiedAt } from '../../session-times.ts';
import type { MessageLine } from './session-lines.ts';
import type { Change, StoredMessage, StoredSession } from '../../store.ts';

/** One call's write to a session's file; calls made at once are stored in one write. */
export interface SessionWrite {
  saved?: MessageLine;
  /** The uuid of a message to delete. */
  removed?: string;
  /** The message is deleted, or was never there. */
  refused?: boolean;
  /** A change of a stored message; its new version is then `saved`. */
  edit?: { uuid: string; change: Change<StoredMessage> };
  /** A change of the session itself, the first line. */
  change?: Change<StoredSession>;
  result?: StoredSession;
  error?: unknown;
}

/** The head as the items leave it, modified then or later; the very same string where nothing changes it. */
export function changedHead(line: string, items: SessionWrite[], modified: string): string {
  let head = modified === '' ? line : JSON.stringify(withModifiedAt(JSON.parse(line) as StoredSession, modified));
  for (const item of items) {
    if (!item.change) continue;
    try {
      head = JSON.stringify(item.change(JSON.parse(head) as StoredSession));
      item.result = JSON.parse(head) as StoredSession;
    } catch (error) {
      item.error = error ?? new Error('a change threw nothing');
    }
  }
  return head;
}
