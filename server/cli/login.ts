import { pluralize, sanitizeLine, table, type Command } from './command.ts';

export const loginCommand: Command = {
  synopsis: '[EMAIL]',
  summary: 'print a link that signs a browser in to the console',
  details: `The link works once, for 30 minutes. Without EMAIL it is one for the owner of the installation.
`,
  minWords: 0,
  maxWords: 1,
  async act(client, [email], _options, { out, err }) {
    const { link, email: user } = await client.addLoginLink(email);
    out(`${link}\n`);
    err(`Open it within 30 minutes: it signs in one browser, as ${user}.\n`);
  },
};

/** The browsers that are signed in. */
export const signInCommands: Record<string, Command> = {
  'sign-in list': {
    synopsis: '[EMAIL]',
    summary: 'list the browsers that are signed in to the console',
    minWords: 0,
    maxWords: 1,
    async act(client, [email], _options, { out }) {
      const rows = (await client.signIns(email)).map((one) => [
        one.uuid.slice(0, SHOWN_LENGTH),
        one.email,
        one.created_at,
        one.last_used_at,
        sanitizeLine(one.by),
        sanitizeLine(one.user_agent),
      ]);
      out(table([['SIGN-IN', 'USER', 'SIGNED IN', 'LAST USED', 'BY', 'BROWSER'], ...rows]));
    },
  },
  'sign-in end': {
    synopsis: 'EMAIL [SIGN-IN…]',
    summary: 'sign browsers of a user out of the console, all or those named by their first characters',
    details: `Keys and passkeys stay, and can sign in again: "docent key revoke" ends keys.
`,
    minWords: 1,
    maxWords: Infinity,
    async act(client, [email = '', ...signIns], _options, { out }) {
      const ended = await client.endSignIns(email, signIns);
      out(`ended ${pluralize(ended.length, 'sign-in')} of ${email.toLowerCase()}\n`);
    },
  },
};

/** What else signs a browser in. */
export const passkeyCommands: Record<string, Command> = {
  'passkey list': {
    synopsis: '[EMAIL]',
    summary: 'list the passkeys that sign in to the console',
    minWords: 0,
    maxWords: 1,
    async act(client, [email], _options, { out }) {
      const rows = (await client.passkeys(email)).map((one) => [
        one.uuid.slice(0, SHOWN_LENGTH),
        one.email,
        sanitizeLine(one.name),
        one.host,
        one.created_at,
        one.last_used_at || 'never',
      ]);
      out(table([['PASSKEY', 'USER', 'NAME', 'HOST', 'ADDED', 'LAST USED'], ...rows]));
    },
  },
  'passkey remove': {
    synopsis: 'PASSKEY',
    summary: 'remove a passkey, named by its first characters, and end the sign-ins made with it',
    minWords: 1,
    maxWords: 1,
    async act(client, [passkey = ''], _options, { out }) {
      const { name, email } = await client.removePasskey(passkey);
      out(`removed the passkey ${sanitizeLine(name)} of ${email}\n`);
    },
  },
};

/** Characters of a uuid. */
const SHOWN_LENGTH = 8;
