import { MAX_KEEP_DAYS } from '../schema/fields.ts';
import { pluralize, sanitizeLine, type Command } from './command.ts';

/** What is kept of conversations. */
export const conversationCommands: Record<string, Command> = {
  forget: {
    synopsis: 'SESSION',
    summary: 'delete a conversation with all that is stored of it, and say what it was',
    details: `SESSION is the whole identifier, 32 digits: a visitor's browser has it, and the API lists it. Copies of damaged files go, too.
Backups, archives, logs of your own and the model server's records are yours to clear.
`,
    minWords: 1,
    maxWords: 1,
    async act(client, [session = ''], _options, { out }) {
      const { chatbot, messages, from, to } = await client.forget(session);
      const name = chatbot === '' ? 'that could not be read' : `of ${sanitizeLine(chatbot)}`;
      const span = messages === 0 ? '' : `, ${from} to ${to}`;
      out(`deleted the conversation ${session.slice(0, 8)}… ${name}: ${pluralize(messages, 'message')}${span}\n`);
    },
  },
};

/** Days that `--keep-days` gives. */
export function readKeepDays(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > MAX_KEEP_DAYS)
    throw new Error(
      `--keep-days must be a whole number, 0 to ${MAX_KEEP_DAYS}; 0 keeps conversations until they are deleted`,
    );
  return Number(text);
}
