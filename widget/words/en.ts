import type { afterAnswerWords } from './after-answer.ts';
import type { commentWords } from './comment.ts';
import type { confirmationWords } from './confirmation.ts';
import type { conversationsWords } from './conversations.ts';
import type { launcherWords } from './launcher.ts';
import type { partsWords } from './parts.ts';
import type { presenceWords } from './presence.ts';
import type { teaserWords } from './teaser.ts';

/**
 * Every text that a visitor reads; those for a turn's status are named by its `is` and `reason`. Other languages are files with the
 * same keys.
 */
export const en = {
  open: 'Open chat',
  close: 'Close chat',
  title: 'Chat',
  site: 'Answers from {site}',
  byAi: 'AI answers from {site}',
  greeting: 'Hello! How can I help?',
  disclaimer: 'Answers can be wrong. Check the sources.',
  privacy: 'Privacy',
  agree: 'I agree',
  contact: 'Contact us',
  conversation: 'Conversation',
  suggestions: 'Suggestions',
  answer: 'Answer',
  field: 'Your question',
  send: 'Send',
  stop: 'Stop',
  anew: 'New conversation',
  conversations: 'Conversations',
  latest: 'New text',
  loading: 'Loading…',
  waiting: 'Looking for the answer…',
  reconnecting: 'Reconnecting…',
  offline: 'You are offline.',
  stopped: 'The answer was stopped.',
  length: 'The answer was too long.',
  interrupted: 'The answer was interrupted.',
  quota: 'This chat is not available for now.',
  failed: 'Something went wrong.',
  network: 'No connection. Your question is kept.',
  not_found: 'This chat is not available.',
  retry: 'Try again',
  sources: 'Sources',
  source: 'Source',
  newTab: 'new tab',
  code: 'Code',
  table: 'Table',
  copy: 'Copy',
  copied: 'Copied',
};

export type PanelWords = typeof en;
export type Words = PanelWords &
  typeof launcherWords &
  typeof afterAnswerWords &
  typeof commentWords &
  typeof confirmationWords &
  typeof conversationsWords &
  typeof partsWords &
  typeof presenceWords &
  typeof teaserWords;
