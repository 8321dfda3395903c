import type { KeyLine } from '../control/users.ts';
import { pluralize, sanitizeLine, table, type Command } from './command.ts';

/** Users and their keys. */
export const keyCommands: Record<string, Command> = {
  'user add': {
    synopsis: 'EMAIL',
    summary: 'add a user, who has chatbots of their own',
    minWords: 1,
    maxWords: 1,
    async act(client, [email = ''], _, { out }) {
      out(`added ${await client.addUser(email)}\n`);
    },
  },
  'user list': {
    synopsis: '',
    summary: 'list the users',
    minWords: 0,
    maxWords: 0,
    async act(client, _words, _options, { out }) {
      const users = await client.users();
      out(table([['EMAIL', 'CREATED'], ...users.map(({ email, created_at }) => [email, created_at])]));
    },
  },
  'user remove': {
    synopsis: 'EMAIL [--with-chatbots]',
    summary: 'remove a user and end their keys',
    details: `A user who has chatbots is only removed with --with-chatbots, which deletes those with their pages and conversations.
`,
    minWords: 1,
    maxWords: 1,
    options: { 'with-chatbots': { type: 'boolean' } },
    async act(client, [email = ''], options, { out }) {
      const removed = await client.removeUser(email, options['with-chatbots'] ?? false);
      const chatbots = removed.chatbots.map((name) => `deleted the chatbot ${sanitizeLine(name)}\n`).join('');
      out(`${chatbots}removed ${removed.email}, and ended ${pluralize(removed.keys, 'key')}\n`);
    },
  },
  'key add': {
    synopsis: 'EMAIL --name NAME',
    summary: 'make an API key for a user; it is shown this once',
    minWords: 1,
    maxWords: 1,
    options: { name: { type: 'string' } },
    needsOneOf: ['name'],
    async act(client, [email = ''], { name = '' }, { out, err }) {
      out(`${await client.addKey(email, name)}\n`);
      err('Keep it: only its hash is stored, and it is not shown again.\n');
    },
  },
  'key list': {
    synopsis: '',
    summary: 'list the keys by their first characters',
    minWords: 0,
    maxWords: 0,
    async act(client, _words, _options, { out }) {
      const rows = (await client.keys()).map(keyRow);
      out(table([['KEY', 'NAME', 'USER', 'CREATED', 'LAST USED'], ...rows]));
    },
  },
  'key revoke': {
    synopsis: 'KEY…',
    summary: 'end keys at once, each named by its first characters or its name',
    details: '"docent key remove" is the same.\n',
    minWords: 1,
    maxWords: Infinity,
    async act(client, words, _, { out }) {
      const keys = await client.revokeKeys(words);
      out(keys.map(({ hint, name, email }) => `revoked ${hint}… (${name}, ${email})\n`).join(''));
    },
  },
};

const keyRow = ({ hint, name, email, created_at, last_used_at }: KeyLine): string[] => [
  `${hint}…`,
  name,
  email,
  created_at,
  last_used_at || 'never',
];
