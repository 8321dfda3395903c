import type { Command } from './command.ts';

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
