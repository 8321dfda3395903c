import type { Question } from '../client/client.ts';

/** An earlier conversation of this visitor's. */
export interface PastConversation {
  session: string;
  /** Uuid of its newest message. */
  last?: string | undefined;
  /** Its first question. */
  title?: string | undefined;
  /** When it was left, in milliseconds as `Date.now()`. */
  at: number;
}

/** State of one chat in localStorage, and of one tab in sessionStorage; the field names are the stored JSON's. */
export interface StoredChat {
  session?: string | undefined;
  /** Uuid of the newest message that the server has confirmed. */
  last?: string | undefined;
  /** The newest first; the one in `session` is not among them. */
  past?: PastConversation[] | undefined;
  draft?: string | undefined;
  /** The visitor has given the consent that the owner asks for. */
  agreed?: boolean | undefined;
  /** The visitor has closed the panel or the teaser: neither opens by itself again. */
  closed?: boolean | undefined;
  /** The visitor has asked, or has opened the chat where the page has a teaser. */
  acted?: boolean | undefined;
  /** This tab's alone: the visitor has opened the panel and not closed it. */
  open?: boolean | undefined;
  /** This tab's alone: an answer is under way, or has ended while nobody saw it. */
  unread?: 'waiting' | 'ended' | undefined;
  /** Unacknowledged questions by id, oldest first. */
  sent?: Record<string, Question | undefined> | undefined;
}

export interface ChatStorage {
  /** Reads storage at each call: another tab may have changed it. */
  read(): StoredChat;
  /** Merges `change`; `undefined` removes a field. `draft` also goes to this tab's sessionStorage, `open` and `unread`, which are written alone, only there. */
  write(change: StoredChat): void;
}

/**
 * Stores nothing before the first `write`. Where storage is blocked or full, and while `mayStore` says no, state lives in memory until
 * the page unloads, but for `closed`: a later `write`, also one of nothing, stores it.
 */
export function createChatStorage(server: string, chatbot: string, mayStore = () => true): ChatStorage {
  const key = `docent:${server}:${chatbot}`;
  let unsaved: StoredChat | undefined;
  const readFrom = (storage: Storage): StoredChat => JSON.parse(storage.getItem(key)!) as StoredChat;

  function read(): StoredChat {
    try {
      // This tab's draft overrides one that another tab has written.
      return { ...readFrom(localStorage), ...readFrom(sessionStorage), ...unsaved };
    } catch {
      return { ...unsaved };
    }
  }

  return {
    read,
    write(change) {
      // What was not saved before is, all of it.
      const names = unsaved ? 'draft' : Object.keys(change).join();
      if (!names) return;
      // The changes alone: another tab may store meanwhile.
      unsaved = { ...unsaved, ...change };
      const { draft, open, unread, ...others } = read();
      try {
        if (!mayStore()) {
          if (change.closed) localStorage.setItem(key, JSON.stringify({ ...readFrom(localStorage), closed: true }));
          return;
        }
        if (!/open|unread/.test(names)) localStorage.setItem(key, JSON.stringify({ ...others, draft }));
        if (/draft|open|unread/.test(names)) {
          sessionStorage.setItem(key, JSON.stringify({ draft, open, unread }));
          // Under this name the launcher looks whether to load the panel.
          sessionStorage['docent'] = '1';
        }
        unsaved = undefined;
      } catch {}
    },
  };
}
