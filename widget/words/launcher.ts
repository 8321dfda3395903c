/** The launcher's sentences: alone, because it is loaded alone. */
export const launcher = {
  open: 'Open chat',
  unloadable: 'Failed. Try again.',
};
