export const OPEN = 'Open chat';
export const UNLOADABLE = 'Failed. Try again.';

/** Texts of the launcher, in a file of their own since the launcher is loaded without the panel. */
export const launcherWords = { open: OPEN, unloadable: UNLOADABLE };
