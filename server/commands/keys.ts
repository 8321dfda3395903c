import type { KeyLine } from '../admin.ts';
import { table, type Command } from './command.ts';

/** Users and their keys. */
export const keyCommands: Record<string, Command> = {
  'user add': {
    takes: 'EMAIL',
    about: 'add a user, who has chatbots of their own',
    least: 1,
    most: 1,
    async act(verbs, [email = ''], _, { out }) {
      out(`added ${await verbs.addUser(email)}\n`);
    },
  },
  'user list': {
    takes: '',
    about: 'list the users',
    least: 0,
    most: 0,
    async act(verbs, _words, _options, { out }) {
      const users = await verbs.users();
      out(table([['EMAIL', 'CREATED'], ...users.map(({ email, created_at }) => [email, created_at])]));
    },
  },
  'key add': {
    takes: 'EMAIL --name NAME',
    about: 'make an API key for a user; it is shown this once',
    least: 1,
    most: 1,
    needs: ['name'],
    async act(verbs, [email = ''], { name = '' }, { out, err }) {
      out(`${await verbs.addKey(email, name)}\n`);
      err('Keep it: only its hash is stored, and it is not shown again.\n');
    },
  },
  'key list': {
    takes: '',
    about: 'list the keys by their first characters',
    least: 0,
    most: 0,
    async act(verbs, _words, _options, { out }) {
      const rows = (await verbs.keys()).map(rowOf);
      out(table([['KEY', 'NAME', 'USER', 'CREATED', 'LAST USED'], ...rows]));
    },
  },
  'key revoke': {
    takes: 'KEY…',
    about: 'end keys at once, each told by its first characters or its name',
    least: 1,
    most: Infinity,
    async act(verbs, words, _, { out }) {
      const keys = await verbs.revokeKeys(...words);
      out(keys.map(({ hint, name, email }) => `revoked ${hint}… (${name}, ${email})\n`).join(''));
    },
  },
};

const rowOf = ({ hint, name, email, created_at, last_used_at }: KeyLine): string[] => [
  `${hint}…`,
  name,
  email,
  created_at,
  last_used_at || 'never',
];
