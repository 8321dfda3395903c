/** The launcher's sentences: alone, because it is loaded alone. */
export const launcherWords = {
  open: 'Open chat',
  unloadable: 'Failed. Try again.',
};
