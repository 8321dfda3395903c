/** The guides in menu order: `<name>.md` in this folder, `/docs/<name>` on a server. */
export const guides = {
  widget: 'Widget',
  component: 'Component',
  team: 'Team',
  console: 'Console',
  commands: 'Commands',
  answers: 'Answers',
  api: 'API',
  models: 'Models',
  proxy: 'Proxy',
  settings: 'Settings',
  production: 'Production',
  scaling: 'Several servers',
  changes: 'Upgrade and changes',
  security: 'Security',
  developing: 'Developing',
} as const;

export type GuideName = keyof typeof guides;
