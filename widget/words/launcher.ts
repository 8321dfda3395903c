/** Texts of the launcher, in a file of their own since the launcher is loaded without the panel. */
export const launcherWords = {
  open: 'Open chat',
  unloadable: 'Failed. Try again.',
};
