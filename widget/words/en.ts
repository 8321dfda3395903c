import type { launcher } from './launcher.ts';

/**
 * Every sentence a visitor reads; those on how an answer stands are named as its status and reason are. `{name}` stands for a
 * value; another language is another file with the same keys.
 */
export const en = {
  close: 'Close chat',
  title: 'Chat',
  greeting: 'Hello! Ask me anything about this site.',
  disclaimer: 'Answers are written by a machine. Check the sources.',
  privacy: 'Privacy',
  agree: 'I agree',
  conversation: 'Conversation',
  suggestions: 'Suggested questions',
  you: 'You asked',
  answer: 'Answer',
  field: 'Your question',
  placeholder: 'Ask a question…',
  send: 'Send',
  stop: 'Stop the answer',
  anew: 'New conversation',
  latest: 'Go to the newest text',
  restoring: 'Loading your conversation…',
  waiting: 'Looking for the answer…',
  streaming: 'The answer is being written.',
  finished: 'Answer: {text}',
  reconnecting: 'The connection was lost. Reconnecting…',
  offline: 'You are offline. This goes on when the network is back.',
  stopped: 'You stopped this answer.',
  length: 'The answer reached its maximum length.',
  interrupted: 'The answer was interrupted.',
  quota: 'This chat has used up its answers for now.',
  failed: 'Something went wrong. Your question is kept.',
  network: 'The chat could not be reached. Your question is kept.',
  not_found: 'This chat is not available.',
  retry: 'Try again',
  limitedFor: 'You can try again in {time}.',
  sources: 'Sources',
  source: 'Source {marker}: {title}',
  newTab: 'opens in a new tab',
  code: 'Code',
  table: 'Table',
  copy: 'Copy',
  copied: 'Copied',
  openSource: 'Read it on {host}',
  closeSource: 'Close source',
  again: 'Answer again',
  copyAnswer: 'Copy with sources',
  uncopied: 'Your browser does not allow copying.',
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  comment: 'Tell us more, if you like',
  sendComment: 'Send feedback',
  thanks: 'Thank you for your feedback.',
  unsent: 'Your feedback could not be sent. Try again.',
};

export type PanelWords = typeof en;
export type Words = PanelWords & typeof launcher;

/** A sentence with its values in place; a name without a value stays as it is written. */
export function fill(sentence: string, values: Record<string, string>): string {
  return sentence.replace(/\{(\w+)\}/g, (written, name: string) => values[name] ?? written);
}
